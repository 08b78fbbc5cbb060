/**
 * The rights of each role of the stack: `grants.ts` makes its statements from this table, and tests compare every template with it. A
 * right on the table is bound to partitions (`shared/config/table-rights.ts`).
 */
import type { TableRole } from "../../shared/config/table-rights.ts";

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
