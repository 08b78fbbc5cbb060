/** The functions, each with its own role, which allows only the actions that the function performs. */
import { type Duration, type RemovalPolicy, Names, Token } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { type Function as LambdaFunction, RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { SettingPath } from "../../shared/config/settings-table.ts";
import { variableOf } from "../../shared/config/setting-names.ts";
import { acknowledgeWildcards } from "../resources/acknowledged.ts";
import { type BundledFunctionProps, bundledFunction } from "./bundled-function.ts";
import { grantsOf } from "./grants.ts";
import { type KafkaClusterProps, kafkaClustersSetting, mappingTopics, readingClusters } from "./kafka-clusters.ts";
import type { EnvironmentKeys } from "./keys.ts";
import { type FunctionNetwork, type NetworkProps, networkOf } from "./network.ts";
import type { OwnedSetting } from "./owned-settings.ts";
import type { AnyTable } from "../resources/table.ts";
import { REQUEST_TIMEOUT, SWEEPER_TIMEOUT, TOPICS_TIMEOUT, WORKER_TIMEOUT } from "../resources/time-outs.ts";

const WORKER_CONCURRENCY_MAX = 100;
/** The minimum that an event source accepts. */
const CONCURRENCY_MIN = 2;
const BATCH_MESSAGES = 10;
/** Only the functions that make Kafka event source mappings for subscriptions have this setting: admin function and sweeper. */
const FOLLOWERS_ALONE = "aws.topics-function";
/** The setting with the Kafka clusters. The stack sets it only if the stack has clusters. */
const CLUSTERS = "ingress.kafka-clusters";
/** The setting that only the sweeper has; the other functions have no right to the dead-letter queue. */
const SWEEPER_ALONE = "aws.dead-letter-queue-url";
/** The setting for the tag of handlers. The functions get it only if the stack has no `handlerArns`. */
const TAGGED_ALONE = "aws.handler-tag";

/** Settings that only some of the functions or only some stacks have. */
type OwnedBySome = typeof SWEEPER_ALONE | typeof TAGGED_ALONE | typeof FOLLOWERS_ALONE | typeof CLUSTERS;

/** How many of the account's concurrent executions each function reserves; the number is also the limit of the function. */
export interface ReservedConcurrency {
  readonly ingress?: number;
  readonly admin?: number;
  readonly sweeper?: number;
}

export interface StepwellFunctionsProps extends NetworkProps {
  readonly codeFolder: string;
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  /** Whether callers of the ingress are bound to what they made. */
  readonly bindsCallers?: boolean;
  readonly handlerArns?: readonly string[];
  readonly assumableRoleArns?: readonly string[];
  readonly scheduleArns?: readonly string[];
  readonly workerConcurrencyMax?: number;
  readonly slowWorkerConcurrencyMax?: number;
  readonly sweeperMemoryMb?: number;
  readonly reservedConcurrency?: ReservedConcurrency;
  readonly xray?: boolean;
  readonly kafkaClusters?: readonly KafkaClusterProps[];
  readonly table: AnyTable;
  readonly queue: Queue;
  readonly slowQueue: Queue;
  readonly deadLetters: Queue;
  readonly groupName: string;
  readonly scheduleRole: Role;
  readonly keys: EnvironmentKeys;
  readonly signingKey: number;
  /** Names this control plane within the account. */
  readonly environment: string;
  /** The KMS key that encrypts the table, the queues, the environment's keys and the logs. */
  readonly encryptionKey?: IKey;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

export class StepwellFunctions extends Construct {
  readonly ingress: LambdaFunction;
  readonly admin: LambdaFunction;
  readonly worker: LambdaFunction;
  readonly sweeper: LambdaFunction;
  /** Accepts records of Kafka; present if the stack has clusters. */
  readonly topics: LambdaFunction | undefined;
  readonly #props: StepwellFunctionsProps;
  readonly #network: FunctionNetwork | undefined;

  constructor(scope: Construct, id: string, props: StepwellFunctionsProps) {
    super(scope, id);
    this.#props = props;
    this.#network = networkOf(this, props.environment, props);
    const { queue, slowQueue, deadLetters } = props;
    const { ingress, admin, sweeper } = props.reservedConcurrency ?? {};
    this.ingress = this.#make("Ingress", REQUEST_TIMEOUT, { reservedConcurrency: ingress });
    this.admin = this.#make("Admin", REQUEST_TIMEOUT, { reservedConcurrency: admin });
    this.worker = this.#make("Worker", WORKER_TIMEOUT, { recursiveLoop: RecursiveLoop.ALLOW });
    const workersMax = props.workerConcurrencyMax ?? WORKER_CONCURRENCY_MAX;
    this.#feed(queue, workersMax);
    this.#feed(slowQueue, props.slowWorkerConcurrencyMax ?? halfOf(workersMax));
    this.sweeper = this.#make("Sweeper", SWEEPER_TIMEOUT, {
      memoryMb: props.sweeperMemoryMb,
      reservedConcurrency: sweeper,
    });
    this.sweeper.addEnvironment(variableOf(SWEEPER_ALONE), deadLetters.queueUrl);
    this.topics = this.#consumer();
  }

  /** All functions of the control plane. */
  get all(): LambdaFunction[] {
    const { ingress, admin, worker, sweeper, topics } = this;
    return [ingress, admin, worker, sweeper, ...(topics === undefined ? [] : [topics])];
  }

  #consumer(): LambdaFunction | undefined {
    const { kafkaClusters = [] } = this.#props;
    if (kafkaClusters.length === 0) return undefined;
    const topics = this.#make("Topics", TOPICS_TIMEOUT, { grants: readingClusters(this, kafkaClusters) });
    const grants = mappingTopics(topics.functionArn);
    for (const follower of [this.admin, this.sweeper]) {
      follower.addEnvironment(variableOf(FOLLOWERS_ALONE), topics.functionName);
      for (const grant of grants) follower.addToRolePolicy(grant);
      acknowledgeWildcards(follower.role!, grants);
    }
    return topics;
  }

  /** Each lane has its own concurrency, so a full lane takes no workers from the other. */
  #feed(queue: Queue, maxConcurrency: number): void {
    // `SqsEventSource` would let the worker use the queue's KMS key without a condition. The mapping has the id that
    // `SqsEventSource` would give it: under another id, an update would first create a second mapping, which AWS refuses.
    this.worker.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
      eventSourceArn: queue.queueArn,
      batchSize: BATCH_MESSAGES,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
  }

  /** @param more of it, the grants are added to those of the function's role */
  #make(
    name: "Ingress" | "Admin" | "Worker" | "Sweeper" | "Topics",
    timeout: Duration,
    {
      grants = [],
      ...more
    }: Partial<Pick<BundledFunctionProps, "grants" | "recursiveLoop" | "memoryMb" | "reservedConcurrency">>,
  ): LambdaFunction {
    const { reservedConcurrency: _, ...props } = this.#props;
    const role = name.toLowerCase() as Lowercase<typeof name>;
    const made = bundledFunction(this, name, {
      ...props,
      timeout,
      grants: [...grantsOf(this, role, props), ...grants],
      variables: this.#variables(),
      network: this.#network,
      ...more,
    });
    // A function without keys does not start.
    made.node.addDependency(this.#props.keys.made);
    return made;
  }

  #variables(): Record<string, string> {
    const {
      settings = {},
      table,
      queue,
      slowQueue,
      groupName,
      scheduleRole,
      keys,
      environment,
      signingKey,
      handlerArns,
      kafkaClusters = [],
      bindsCallers = false,
    } = this.#props;
    const owned: Readonly<Record<Exclude<OwnedSetting, OwnedBySome>, string>> = {
      "aws.table": table.tableName,
      "aws.queue-url": queue.queueUrl,
      "aws.queue-arn": queue.queueArn,
      "aws.slow-queue-url": slowQueue.queueUrl,
      "aws.schedule-group": groupName,
      "aws.schedule-role-arn": scheduleRole.roleArn,
      "aws.parameters": keys.path,
      "aws.signing-key": String(signingKey),
      "ingress.bind-to-caller": String(bindsCallers),
    };
    const all: Partial<Record<SettingPath, string>> = {
      "cluster-name": environment,
      "aws.external-id": environment,
      ...settings,
      ...owned,
      ...(handlerArns === undefined && { [TAGGED_ALONE]: environment }),
      ...(kafkaClusters.length > 0 && { [CLUSTERS]: kafkaClustersSetting(this, kafkaClusters) }),
    };
    return Object.fromEntries(Object.entries(all).map(([path, value]) => [variableOf(path), value]));
  }
}

/** @param count a number, or a CDK token, which has no value before deployment and is returned unchanged */
function halfOf(count: number): number {
  return Token.isUnresolved(count) ? count : Math.max(CONCURRENCY_MIN, Math.floor(count / 2));
}
