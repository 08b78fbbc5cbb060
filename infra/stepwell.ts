/**
 * The control plane as one construct: two HTTP APIs, functions, a table, queues and schedules, and nothing that is
 * billed by the hour.
 */
import { Names, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { ISecurityGroup, IVpc, SecurityGroup, SubnetSelection, Vpc } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { SettingPath } from "../shared/config/settings-table.ts";
import { AdminApi, IngressApi, type IngressAuth, type IngressCors, type IngressThrottle } from "./apis.ts";
import { StepwellAlarms } from "./monitoring/alarms.ts";
import { checkProps } from "./checked-props.ts";
import { StepwellDashboard } from "./monitoring/dashboard.ts";
import { StepwellFunctions, type ReservedConcurrency } from "./lambda/functions.ts";
import type { KafkaClusterProps } from "./lambda/kafka-clusters.ts";
import { EnvironmentKeys } from "./lambda/keys.ts";
import { allowLogEncryption } from "./resources/log-encryption.ts";
import { PACKED_CODE } from "./packed-code.ts";
import { WakeQueue } from "./resources/queues.ts";
import { WakeSchedules } from "./lambda/schedules.ts";
import { SweepRule } from "./resources/sweep-rule.ts";
import { InvocationTable, type AnyTable } from "./resources/table.ts";

/** The name of a schedule group has at most 64 characters, and consists of the environment's name and a suffix. */
const NAME_MAX_CHARACTERS = 50;

export interface StepwellProps {
  /** Contains a folder with the code of each function, such as `ingress`; by default the code in this package. */
  readonly codeFolder?: string;
  /**
   * Settings in the form of the configuration. A setting that the stack itself determines, such as `aws.table`, is
   * refused, with the property to use instead if there is one.
   */
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  /**
   * ARNs of functions that may be called as handlers. Each must match the ARN with the version or alias, for instance by
   * a wildcard: `arn:aws:lambda:eu-west-1:111122223333:function:shop-*`. By default all functions of this account and Region
   * whose tag `stepwell` has the environment's name as its value. With an empty list no function may be called, and all
   * handlers are reached over HTTPS.
   */
  readonly handlerArns?: readonly string[];
  /**
   * Roles that deployments may request for their calls (`assume_role_arn`). Each must trust the functions' roles, and
   * may require the environment's name as external id. By default none.
   */
  readonly assumableRoleArns?: readonly string[];
  /**
   * The schedules that drivers may create; by default those of this stack's own group. An emulator may treat every
   * schedule as one of the default group.
   */
  readonly scheduleArns?: readonly string[];
  /** The clients that may call handlers; by default those that IAM authorizes. `open` admits every client. */
  readonly ingressAuth?: IngressAuth;
  /**
   * Limits all callers together to a rate per second and a burst. API Gateway answers 429 to further requests, which
   * Stepwell never sees. By default only the account's own limits apply.
   */
  readonly ingressThrottle?: IngressThrottle;
  /**
   * A log line for each request of the ingress: caller, path, address and status, as for the admin API. Off by default,
   * because it costs per call, and paths contain keys of objects and ids of awakeables.
   */
  readonly ingressAccessLog?: boolean;
  /**
   * The web pages that may call handlers; the gateway then answers preflights. By default an `open` ingress allows
   * pages of every origin. Any other ingress allows none by default, because it requires credentials with a preflight too,
   * and browsers send none.
   */
  readonly ingressCors?: IngressCors;
  /**
   * Whether idempotency keys, ids and keys of workflows lead a caller only to what the same role or user made; others get the answer
   * for an unknown invocation. By default true, unless the ingress is `open` and has no callers. The setting
   * `ingress.readers-of-all` names principals that may ask about all.
   */
  readonly ingressBoundToCallers?: boolean;
  /** Batches of ten messages that workers drive at the same time, 2 to 1,000; 100 by default. */
  readonly workerConcurrencyMax?: number;
  /** Batches from the queue for slow services, beside those of `workerConcurrencyMax`; 2 to 1,000, by default half as many. */
  readonly slowWorkerConcurrencyMax?: number;
  /**
   * The memory of the sweeper in MB, which also determines its share of a processor. The default 512 keeps up with some
   * 250 acceptances a second; 1,769 is a whole processor.
   */
  readonly sweeperMemoryMb?: number;
  /**
   * Reserves concurrent executions of the account for single functions; the number is also their limit. A few for the
   * sweeper let it run under any load, and a number for the ingress bounds the executions that waiting callers occupy. By
   * default no function reserves any, because accounts with a low concurrency limit refuse such a deployment
   * (docs/operating/aws.md).
   */
  readonly reservedConcurrency?: ReservedConcurrency;
  /**
   * The network of ingress, admin, worker and sweeper, to reach deployments at private addresses
   * (`aws.allowed-addresses`) and to send all requests from known addresses. It needs routes to the AWS services that
   * docs/operating/aws.md lists. By default functions run in Lambda's own network, which reaches only public addresses.
   */
  readonly vpc?: IVpc | Vpc;
  /** The subnets of `vpc` for the functions; by default its private ones. */
  readonly vpcSubnets?: SubnetSelection;
  /** The security groups of the functions in `vpc`; by default one group that allows all outbound traffic. */
  readonly securityGroups?: readonly (ISecurityGroup | SecurityGroup)[];
  /**
   * The Kafka clusters whose topics may invoke handlers. If there is a cluster, the stack has a function that accepts
   * records, and the admin API makes an event source mapping for each subscription. By default there is none.
   */
  readonly kafkaClusters?: readonly KafkaClusterProps[];
  /** X-Ray traces of the functions, which are billed by number; off by default. */
  readonly xray?: boolean;
  /**
   * Identifies this control plane within the account, also in its metrics: letters, digits, `-`, `_`, `.`; by default
   * derived from the construct's path.
   */
  readonly environmentName?: string;
  /**
   * The number of the key that signs requests to deployments; 1 by default. Deployments trust it and the next one
   * (outputs `SigningKey` and `NextSigningKey`). To rotate, raise this by one, then distribute the new pair.
   */
  readonly signingKey?: number;
  /**
   * An existing table in place of one of this stack, such as a table restored from a backup. It must have the keys and
   * indexes of a table of this stack. Its owner must set its time to live, point-in-time recovery and deletion
   * protection, because a stack cannot. The environment's name must be the one under which its items were written.
   */
  readonly table?: AnyTable;
  /**
   * Encrypts the queues, the keys, the logs and the stack's own table; by default AWS's own keys do. A stack with its own
   * table must then specify its Region. The key's policy must admit CloudWatch Logs. The stack extends the policy if it
   * can; the owner of an imported key (`Key.fromKeyArn`) must add the statement in docs/operating/aws.md.
   */
  readonly encryptionKey?: IKey;
  /** Queues refuse requests without TLS; true by default. False is for emulators that support only plain HTTP. */
  readonly sslOnly?: boolean;
  /** How long logs are kept; a month by default. */
  readonly logRetention?: RetentionDays;
  /** CloudWatch alarms; on by default. */
  readonly alarms?: boolean;
  /** The topic that CloudWatch notifies when an alarm goes off or is over; by default none. */
  readonly alarmTopic?: ITopic;
  /** A CloudWatch dashboard, billed monthly as alarms are; on by default. */
  readonly dashboard?: boolean;
  /** The removal policy of the stack's own table, keys and logs; by default they stay when the stack is deleted. */
  readonly removalPolicy?: RemovalPolicy;
  /** Protects the stack's own table from deletion; by default on, unless the removal policy destroys the data. */
  readonly deletionProtection?: boolean;
}

export class Stepwell extends Construct {
  /** Addresses and names for operators. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The API where handlers are called; its `api` allows options without a property here, such as a custom domain. */
  readonly ingress: IngressApi;
  /** The API where deployments are registered and invocations are operated. */
  readonly admin: AdminApi;

  constructor(scope: Construct, id: string, props: StepwellProps) {
    super(scope, id);
    checkProps(props, Stack.of(this).region);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const shared = {
      codeFolder: props.codeFolder ?? PACKED_CODE,
      environment: props.environmentName ?? Names.uniqueResourceName(this, { maxLength: NAME_MAX_CHARACTERS }),
      signingKey: props.signingKey ?? 1,
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy,
      ...(props.encryptionKey !== undefined && { encryptionKey: props.encryptionKey }),
    };
    const deletionProtection = props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY;
    const keepsData = removalPolicy !== RemovalPolicy.DESTROY || deletionProtection || props.table !== undefined;
    const table = props.table ?? new InvocationTable(this, "Invocations", { ...shared, deletionProtection }).table;
    const { queue, slowQueue, deadLetters } = new WakeQueue(this, "Wakes", {
      ...shared,
      sslOnly: props.sslOnly ?? true,
    });
    const { groupName, role } = new WakeSchedules(this, "Schedules", { ...shared, queue });
    const hasOwnMetrics = props.settings?.["aws.metrics"] !== "none";
    // The environment's name in the functions' metrics.
    const measuredAs = props.settings?.["cluster-name"] ?? shared.environment;
    const keys = new EnvironmentKeys(this, "EnvironmentKeys", {
      ...shared,
      table,
      keepsData,
      ...(hasOwnMetrics && { measuredAs }),
    });
    const stores = { table, queue, slowQueue, deadLetters, groupName, scheduleRole: role, keys };
    const functions = new StepwellFunctions(this, "Functions", {
      ...props,
      ...shared,
      ...stores,
      bindsCallers: props.ingressBoundToCallers ?? props.ingressAuth !== "open",
    });
    const watched = {
      ...stores,
      environment: measuredAs,
      functions: functions.all,
      hasOwnMetrics,
    };
    const { alarmTopic } = props;
    if (props.alarms ?? true) {
      const alarms = new StepwellAlarms(this, "Alarms", { ...watched, ...(alarmTopic && { alarmTopic }) });
      // The sweeper depends on the keys resource, which writes the first metric. Without this metric, the alarm on missing
      // data would go off at once.
      alarms.node.addDependency(functions.sweeper);
    }
    if (props.dashboard ?? true) new StepwellDashboard(this, "Dashboard", watched);
    new SweepRule(this, "SweepRule", { sweeper: functions.sweeper });
    this.ingress = new IngressApi(this, "IngressApi", {
      ...shared,
      ingress: functions.ingress,
      auth: props.ingressAuth ?? "iam",
      ...(props.ingressThrottle !== undefined && { throttle: props.ingressThrottle }),
      ...(props.ingressAccessLog === true && { accessLog: shared }),
      ...(props.ingressCors !== undefined && { cors: props.ingressCors }),
    });
    this.admin = new AdminApi(this, "AdminApi", { ...shared, admin: functions.admin });
    // This call comes last, because it covers only the log groups that exist already.
    if (props.encryptionKey !== undefined) allowLogEncryption(this, props.encryptionKey);
    this.outputs = {
      IngressUrl: this.ingress.url,
      AdminUrl: this.admin.url,
      TableName: table.tableName,
      QueueUrl: queue.queueUrl,
      SlowQueueUrl: slowQueue.queueUrl,
      DeadLetterQueueUrl: deadLetters.queueUrl,
      ScheduleGroup: groupName,
      IngressFunction: functions.ingress.functionName,
      AdminFunction: functions.admin.functionName,
      WorkerFunction: functions.worker.functionName,
      SweeperFunction: functions.sweeper.functionName,
      ...(functions.topics !== undefined && { TopicsFunction: functions.topics.functionName }),
      SigningKey: keys.publicKeys.current,
      NextSigningKey: keys.publicKeys.next,
    };
  }
}
