/** The rights of the roles: the actions of each function, and the IAM statements that allow them on named resources wherever AWS can. */
import { ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { INDEX_FACTS } from "../../shared/config/table-facts.ts";
import { PARTITIONS, TABLE_RIGHTS, type PartitionKind, type TableRole } from "../../shared/config/table-rights.ts";
import type { AnyTable } from "../resources/table.ts";

/** The actions of each right. */
export const RIGHTS = {
  readsItems: ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"],
  writesItems: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
  deletesItems: ["dynamodb:DeleteItem"],
  /** For the walks of sweeper and workers, and for the lists of the admin API. */
  queriesIndexes: ["dynamodb:Query"],
  /** For SQL statements about the state of a service: no index lists the keys of a service. */
  scansTable: ["dynamodb:Scan"],
  sendsWakes: ["sqs:SendMessage"],
  sendsFarWakes: ["sqs:SendMessage"],
  /** Lambda polls with the role of the function. */
  pollsWakes: ["sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
  /** IAM has no actions for the batch requests: for such a request, AWS checks the action for a single message. */
  finishesWakes: ["sqs:DeleteMessage", "sqs:ChangeMessageVisibility"],
  receivesDeadLetters: ["sqs:ReceiveMessage"],
  finishesDeadLetters: ["sqs:DeleteMessage", "sqs:ChangeMessageVisibility"],
  setsTimers: ["scheduler:CreateSchedule", "scheduler:DeleteSchedule"],
  passesTimerRole: ["iam:PassRole"],
  callsHandlers: ["lambda:InvokeFunction"],
  assumesRoles: ["sts:AssumeRole"],
  readsKeys: ["ssm:GetParameter"],
  makesKeys: ["ssm:PutParameter"],
  removesKeys: ["ssm:DeleteParameter"],
  usesKey: ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"],
  registers: ["execute-api:Invoke"],
  writesLog: ["logs:CreateLogStream", "logs:PutLogEvents"],
  traces: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
  joinsNetwork: [
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
  ],
  aliasesTopics: ["lambda:CreateAlias", "lambda:DeleteAlias", "lambda:ListAliases"],
  mapsTopics: ["lambda:CreateEventSourceMapping", "lambda:UpdateEventSourceMapping", "lambda:DeleteEventSourceMapping"],
  listsMappings: ["lambda:ListEventSourceMappings"],
  readsClusterSecrets: ["secretsmanager:GetSecretValue"],
  describesClusters: ["kafka:DescribeCluster", "kafka:DescribeClusterV2", "kafka:GetBootstrapBrokers"],
  connectsToClusters: ["kafka-cluster:Connect", "kafka-cluster:DescribeClusterDynamicConfiguration"],
  readsTopics: ["kafka-cluster:DescribeTopic", "kafka-cluster:ReadData"],
  joinsGroups: ["kafka-cluster:DescribeGroup", "kafka-cluster:AlterGroup"],
  joinsClusterNetwork: [
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeVpcs",
    "ec2:DescribeSubnets",
    "ec2:DescribeSecurityGroups",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * The rights of each role of the stack: `grants.ts` makes its statements from this table, and tests compare every template with it. A
 * right on the table is bound to partitions (`shared/config/table-rights.ts`).
 */
export type Right = keyof typeof RIGHTS;
export type StackRole = TableRole | "schedules" | "registrar";

const ACCEPTS: readonly Right[] = ["readsItems", "writesItems", "deletesItems", "sendsWakes", "readsKeys", "usesKey"];
/** Ingress and admin function drive what they accept within the time of a request, and the sweeper drives dead letters. */
const DRIVES: readonly Right[] = [...ACCEPTS, "setsTimers", "passesTimerRole", "callsHandlers", "assumesRoles"];
/** A subscription has an alias and a mapping of the topics function. */
const FOLLOWS: readonly Right[] = ["aliasesTopics", "mapsTopics", "listsMappings"];
const OF_EVERY_FUNCTION: readonly Right[] = ["writesLog", "traces", "joinsNetwork"];

export const ROLE_RIGHTS: Readonly<Record<StackRole, readonly Right[]>> = {
  ingress: [...DRIVES, ...OF_EVERY_FUNCTION],
  admin: [...DRIVES, "queriesIndexes", "scansTable", ...FOLLOWS, ...OF_EVERY_FUNCTION],
  worker: [...DRIVES, "queriesIndexes", "pollsWakes", "finishesWakes", ...OF_EVERY_FUNCTION],
  sweeper: [
    ...DRIVES,
    "queriesIndexes",
    "receivesDeadLetters",
    "finishesDeadLetters",
    ...FOLLOWS,
    ...OF_EVERY_FUNCTION,
  ],
  /** Accepts records and leaves the drive to the workers. Lambda reads the clusters with this role. */
  topics: [
    ...ACCEPTS,
    "readsClusterSecrets",
    "describesClusters",
    "connectsToClusters",
    "readsTopics",
    "joinsGroups",
    "joinsClusterNetwork",
    ...OF_EVERY_FUNCTION,
  ],
  keys: ["readsItems", "writesItems", "readsKeys", "makesKeys", "removesKeys", "usesKey", "writesLog"],
  schedules: ["sendsFarWakes", "usesKey"],
  registrar: ["registers", "writesLog"],
};

/** The tag of functions that an environment may call; its value is the name of the environment. */
export const HANDLER_TAG = "stepwell";

/** The resources of a control plane that rights name. A right on an absent resource is not granted. */
export interface GrantedResources {
  readonly table: AnyTable;
  readonly queue: Queue;
  readonly slowQueue: Queue;
  readonly deadLetters: Queue;
  readonly groupName: string;
  readonly scheduleRole: Role;
  /** The schedules that drivers may create, for an emulator that uses other ARNs than AWS. */
  readonly scheduleArns?: readonly string[];
  /** Names the control plane within the account. */
  readonly environment: string;
  /** The functions that may be called; by default all functions of this account and Region whose tag names the environment. */
  readonly handlerArns?: readonly string[];
  /** Each of these roles must also trust the functions' roles. */
  readonly assumableRoleArns?: readonly string[];
  readonly encryptionKey?: IKey;
  readonly keys: { readonly reading: PolicyStatement };
}

/** @returns the statements of a function's role, apart from those of its log, its network and its Kafka clusters */
export function grantsOf(scope: Construct, role: TableRole, resources: GrantedResources): PolicyStatement[] {
  return ROLE_RIGHTS[role].flatMap((right) => statementsOf(scope, role, right, resources));
}

function statementsOf(scope: Construct, role: TableRole, right: Right, on: GrantedResources): PolicyStatement[] {
  const { table, queue, slowQueue, deadLetters, encryptionKey, assumableRoleArns = [] } = on;
  const wakes = [queue, slowQueue];
  switch (right) {
    case "readsItems":
    case "writesItems":
    case "deletesItems":
    case "queriesIndexes":
    case "scansTable":
      return tableStatements(role, right, table);
    case "sendsWakes":
    case "pollsWakes":
    case "finishesWakes":
      return [granting(right, arnsOf(wakes))];
    case "receivesDeadLetters":
    case "finishesDeadLetters":
      return [granting(right, arnsOf([deadLetters]))];
    case "setsTimers":
      return [granting(right, [...(on.scheduleArns ?? [schedulesArn(scope, on.groupName)])])];
    case "passesTimerRole":
      return [passing(on.scheduleRole)];
    case "callsHandlers":
      return on.handlerArns?.length === 0 ? [] : [handlerCalls(scope, on)];
    case "assumesRoles":
      return assumableRoleArns.length === 0 ? [] : [granting(right, assumableRoleArns)];
    case "readsKeys":
      return [on.keys.reading];
    case "usesKey":
      return encryptionKey === undefined ? [] : [encrypting(scope, encryptionKey, ["dynamodb", "sqs", "ssm"])];
    default:
      return [];
  }
}

/** The rights of a role on the table, for partitions of the kinds that the role needs. */
export function tableStatements(role: TableRole, right: Right, table: AnyTable): PolicyStatement[] {
  const { reads, writes, deletes, queriesIndexes, scans } = TABLE_RIGHTS[role];
  const within = (kinds: readonly PartitionKind[]): PolicyStatement[] =>
    kinds.length === 0 ? [] : [granting(right, [table.tableArn], leadingKeys(kinds))];
  switch (right) {
    case "readsItems":
      return within(reads);
    case "writesItems":
      return within(writes);
    case "deletesItems":
      return within(deletes);
    case "queriesIndexes":
      return queriesIndexes === true ? [granting(right, indexArns(table))] : [];
    case "scansTable":
      return scans === true ? [granting(right, [table.tableArn])] : [];
    default:
      return [];
  }
}

/**
 * The operator for all values is the one that AWS requires for this key. It is true for a request without keys too, but every request
 * of these actions has a key.
 */
function leadingKeys(kinds: readonly PartitionKind[]): object {
  return { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map((kind) => PARTITIONS[kind]) } };
}

function indexArns(table: AnyTable): string[] {
  return INDEX_FACTS.map(({ name }) => `${table.tableArn}/index/${name}`);
}

/** @returns a statement with all actions of the right */
export function granting(right: Right, resources: readonly string[], conditions?: object): PolicyStatement {
  return new PolicyStatement({
    actions: [...RIGHTS[right]],
    resources: [...resources],
    ...(conditions !== undefined && { conditions: conditions as Record<string, unknown> }),
  });
}

function schedulesArn(scope: Construct, groupName: string): string {
  return Stack.of(scope).formatArn({
    service: "scheduler",
    resource: "schedule",
    resourceName: `${groupName}/*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}

function passing({ roleArn }: Role): PolicyStatement {
  const toScheduler = { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } };
  return granting("passesTimerRole", [roleArn], toScheduler);
}

function handlerCalls(scope: Construct, { environment, handlerArns }: GrantedResources): PolicyStatement {
  if (handlerArns !== undefined) return granting("callsHandlers", handlerArns);
  const resource = { service: "lambda", resource: "function", resourceName: "*" };
  const functions = Stack.of(scope).formatArn({ ...resource, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  const ofEnvironment = { StringEquals: { [`aws:ResourceTag/${HANDLER_TAG}`]: environment } };
  return granting("callsHandlers", [functions], ofEnvironment);
}

function arnsOf(queues: readonly Queue[]): string[] {
  return queues.map(({ queueArn }) => queueArn);
}

/** The stores that use the key on behalf of a role. */
export type EncryptingStore = "dynamodb" | "sqs" | "ssm";

/** The grant to use the key only through these stores: the role cannot decrypt other bytes. */
export function encrypting(scope: Construct, key: IKey, stores: readonly EncryptingStore[]): PolicyStatement {
  const { region, urlSuffix } = Stack.of(scope);
  const via = stores.map((store) => `${store}.${region}.${urlSuffix}`);
  return granting("usesKey", [key.keyArn], { StringEquals: { "kms:ViaService": via } });
}

/** The grant to send traces. It covers all resources, because X-Ray has no resource types. */
export function tracing(): PolicyStatement {
  return granting("traces", ["*"]);
}

/**
 * The grant by which Lambda itself creates network interfaces for a function in a VPC, with the function's role. It covers
 * all resources, because an interface has no ARN before Lambda creates it. By the condition, EC2 refuses requests of the
 * function's own code, which carry the function's ARN.
 */
export function joining(right: "joinsNetwork" | "joinsClusterNetwork" = "joinsNetwork"): PolicyStatement {
  return granting(right, ["*"], { Null: { "lambda:SourceFunctionArn": "true" } });
}
