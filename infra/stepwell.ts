/** The control plane as one construct: two HTTP APIs, functions, a table, a queue and schedules, and nothing that runs by the hour. */
import { Names, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { ISecurityGroup, IVpc, SecurityGroup, SubnetSelection, Vpc } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { SettingPath } from "../shared/config/settings-table.ts";
import type { IngressAuth, IngressCors, IngressThrottle } from "./apis.ts";
import { StepwellAlarms } from "./alarms.ts";
import { AdminApi, IngressApi } from "./apis.ts";
import { checkProps } from "./checked-props.ts";
import { StepwellDashboard } from "./dashboard.ts";
import type { ReservedConcurrency } from "./functions.ts";
import { StepwellFunctions } from "./functions.ts";
import { EnvironmentKeys } from "./keys.ts";
import { allowLogEncryption } from "./log-encryption.ts";
import { PACKED_CODE } from "./packed-code.ts";
import { WakeQueue } from "./queues.ts";
import { WakeSchedules } from "./schedules.ts";
import { SweepRule } from "./sweep-rule.ts";
import type { AnyTable } from "./table.ts";
import { InvocationTable } from "./table.ts";

/** A group of schedules takes 64, and more is added to it. */
const NAME_MAX_CHARACTERS = 50;

export interface StepwellProps {
  /** Holds a folder with the code of each function, such as `ingress`; what is packed with this construct unless told. */
  readonly codeFolder?: string;
  /** As one would write them into the configuration. What the stack itself decides, such as `aws.table`, is refused, with the property to set instead where there is one. */
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  /**
   * ARNs of functions that may be called as handlers, with wildcards if need be and always with their qualifiers:
   * `arn:aws:lambda:eu-west-1:111122223333:function:shop-*`. Unless told, all functions of this account and Region that
   * carry the tag `stepwell` with the environment's name as its value. None where the list is empty: all handlers are reached over HTTPS.
   */
  readonly handlerArns?: readonly string[];
  /** Roles as which deployments may ask to be called (`assume_role_arn`), each of which has to trust the functions' roles, and may ask for the environment's name as external id; none unless told. */
  readonly assumableRoleArns?: readonly string[];
  /**
   * The schedules that drivers may make: those of this stack's own group, unless told. An emulator may judge every
   * schedule as one of the default group.
   */
  readonly scheduleArns?: readonly string[];
  /** Who may call handlers from outside: whom IAM lets in, unless told. `open` lets everybody in who knows the address. */
  readonly ingressAuth?: IngressAuth;
  /**
   * Lets in so many calls a second, and so many at once beyond them, whoever calls; API Gateway answers 429 to the others,
   * of which nothing is accepted. None but the account's own limits unless told.
   */
  readonly ingressThrottle?: IngressThrottle;
  /**
   * A line for each call from outside: who asked for which path from which address, and the status, as the admin API has
   * it. There is none unless told: it is paid for by the call, and paths hold keys of objects and ids of awakeables.
   */
  readonly ingressAccessLog?: boolean;
  /**
   * The web pages that may call handlers, of which the gateway then tells browsers. Unless told, an ingress that is `open`
   * answers pages of every origin, and one that asks for IAM or a token answers none: it asks for them in the preflight too.
   */
  readonly ingressCors?: IngressCors;
  /** Batches of ten messages that workers drive at the same time, 2 to 1,000; 100 unless told. */
  readonly workerConcurrencyMax?: number;
  /** Batches of the worker for slow services, beside those of `workerConcurrencyMax`; by default half as many, 2 to 1,000. */
  readonly slowWorkerConcurrencyMax?: number;
  /**
   * Memory of the sweeper, by which Lambda gives it processors: 512 unless told, which follows some 250 acceptances a
   * second; 1,769 is a whole processor.
   */
  readonly sweeperMemoryMb?: number;
  /**
   * Keeps so many of the account's concurrent executions for single functions, which then never have more: a few for the
   * sweeper let it run whatever callers do, and a number for the ingress ends what waiting callers can take. None unless
   * told, because accounts that may run few functions at once refuse the deployment (docs/operating.md).
   */
  readonly reservedConcurrency?: ReservedConcurrency;
  /**
   * The network that ingress, admin, worker and sweeper run in, so that deployments at private addresses
   * (`aws.allowed-addresses`) can be reached, and all requests come from known addresses. It needs routes to the services of AWS
   * that docs/operating.md lists. By default functions run in Lambda's own network, which reaches public addresses alone.
   */
  readonly vpc?: IVpc | Vpc;
  /** The subnets of `vpc` for the functions; by default its private ones. */
  readonly vpcSubnets?: SubnetSelection;
  /** The security groups of the functions in `vpc`; by default one group that allows all outbound traffic. */
  readonly securityGroups?: readonly (ISecurityGroup | SecurityGroup)[];
  /** Traces of the functions in X-Ray, which are paid for by their number; there are none unless told. */
  readonly xray?: boolean;
  /** Tells this control plane from others of the account, also in its metrics: letters, digits, `-`, `_`, `.`; made of the construct's path unless told. */
  readonly environmentName?: string;
  /**
   * The number of the key that signs requests to deployments, 1 unless told. Deployments trust it and the one after it
   * (outputs `SigningKey` and `NextSigningKey`); to exchange it, raise this by one, then give out the new pair.
   */
  readonly signingKey?: number;
  /**
   * A table that is there already, in place of one of this stack: what was restored from a back-up has another name than
   * its source. It has the source's keys and indexes; its time to live, point-in-time recovery and protection are for
   * its owner to set, since a stack cannot. The environment's name has to be the one under which its items were written.
   */
  readonly table?: AnyTable;
  /**
   * Encrypts the table, the queues, the keys and the logs, in a stack that names its Region; AWS's own keys unless told.
   * CloudWatch Logs has to be let in by the policy of the key, which the stack sees to where it may: that of a key that
   * was imported (`Key.fromKeyArn`) is its owner's to change, by the statement in docs/operating.md.
   */
  readonly encryptionKey?: IKey;
  /** Queues refuse whoever comes without TLS, unless told: an emulator may speak nothing else. */
  readonly sslOnly?: boolean;
  /** How long logs are kept; a month unless told. */
  readonly logRetention?: RetentionDays;
  /** Alarms in CloudWatch; there are, unless told. */
  readonly alarms?: boolean;
  /** Is told when an alarm goes off, and when it is over; nobody is, unless told. */
  readonly alarmTopic?: ITopic;
  /** A dashboard in CloudWatch, which costs by the month as alarms do; there is one, unless told. */
  readonly dashboard?: boolean;
  /** What becomes of the stack's own table, the keys and the logs when the stack is deleted: they stay, unless told. */
  readonly removalPolicy?: RemovalPolicy;
  /** The stack's own table cannot be deleted before this is taken away; so it is wherever the data is to stay, unless told. */
  readonly deletionProtection?: boolean;
}

export class Stepwell extends Construct {
  /** Addresses and names, for whoever deploys. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Where handlers are called; its `api` takes what has no property here, such as a domain of one's own. */
  readonly ingress: IngressApi;
  /** Where deployments are registered. */
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
    // As the functions name it in their metrics.
    const measuredAs = props.settings?.["cluster-name"] ?? shared.environment;
    const keys = new EnvironmentKeys(this, "EnvironmentKeys", {
      ...shared,
      keepsData,
      ...(hasOwnMetrics && { measuredAs }),
    });
    const stores = { table, queue, slowQueue, deadLetters, groupName, scheduleRole: role, keys };
    const functions = new StepwellFunctions(this, "Functions", { ...props, ...shared, ...stores });
    const watched = {
      ...stores,
      environment: measuredAs,
      functions: [functions.ingress, functions.admin, functions.worker, functions.sweeper],
      hasOwnMetrics,
    };
    const { alarmTopic } = props;
    if (props.alarms ?? true) {
      const alarms = new StepwellAlarms(this, "Alarms", { ...watched, ...(alarmTopic && { alarmTopic }) });
      // With the keys comes the first measure, without which an alarm on silence goes off as soon as it is there.
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
    // Last, so that no log group is made after it.
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
      SigningKey: keys.publicKeys.current,
      NextSigningKey: keys.publicKeys.next,
    };
  }
}
