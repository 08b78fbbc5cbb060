/**
 * Actions in the account of a control plane, which tests try with different identities. An action that some role of a control
 * plane may perform is requested with parameters that make the request change nothing.
 */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient, UpdateFunctionConfigurationCommand } from "@aws-sdk/client-lambda";
import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { DeleteParameterCommand, GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { PARTITIONS, type PartitionKind } from "../../shared/config/table-rights.ts";
import { aws, type DeployedStack } from "./control-plane.ts";
import { documentOf, iam } from "./identities.ts";
import type { Identity } from "./signed-by.ts";

/** @throws an AWS error; an entitled identity may get one too, but never AccessDenied */
export type Deed = (credentials: Identity) => Promise<unknown>;

const MESSAGE_MAX_BYTES = 1024 * 1024;
const NO_SUCH = { pk: { S: "tried-out" }, sk: { S: "tried-out" } };
/** The condition fails for an absent item, so no put, update or delete takes effect. */
const isThere = { ConditionExpression: "attribute_exists(pk)" };

const dynamodb = (credentials: Identity) => new DynamoDBClient({ credentials, maxAttempts: 1 });
const sqs = (credentials: Identity) => new SQSClient({ credentials, maxAttempts: 1 });
const ssm = (credentials: Identity) => new SSMClient({ credentials, maxAttempts: 1 });
const lambda = (credentials: Identity) => new LambdaClient({ credentials, maxAttempts: 1 });
const scheduler = (credentials: Identity) => new SchedulerClient({ credentials, maxAttempts: 1 });

/** Tries the actions on items in a partition of the kind. */
function partitionDeeds({ outputs }: DeployedStack, kind: PartitionKind): Readonly<Record<string, Deed>> {
  const TableName = outputs["TableName"]!;
  const pk = { S: PARTITIONS[kind].replace("*", "tried-out") };
  const Key = { pk, sk: { S: "tried-out" } };
  const one = { TableName, Key };
  const ofPartition = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  const update = { UpdateExpression: "SET tried = :yes", ExpressionAttributeValues: { ":yes": { BOOL: true } } };
  const RequestItems = { [TableName]: { Keys: [Key] } };
  return {
    "dynamodb:GetItem": (who) => dynamodb(who).send(new GetItemCommand(one)),
    "dynamodb:BatchGetItem": (who) => dynamodb(who).send(new BatchGetItemCommand({ RequestItems })),
    "dynamodb:Query": (who) => dynamodb(who).send(new QueryCommand({ TableName, ...ofPartition })),
    "dynamodb:PutItem": (who) => dynamodb(who).send(new PutItemCommand({ TableName, Item: Key, ...isThere })),
    "dynamodb:UpdateItem": (who) => dynamodb(who).send(new UpdateItemCommand({ ...one, ...update, ...isThere })),
    "dynamodb:DeleteItem": (who) => dynamodb(who).send(new DeleteItemCommand({ ...one, ...isThere })),
  };
}

function tableDeeds({ outputs }: DeployedStack): Readonly<Record<string, Deed>> {
  const TableName = outputs["TableName"]!;
  const of = (pk: string) => ({
    TableName,
    KeyConditionExpression: "#key = :key",
    ExpressionAttributeNames: { "#key": pk },
    ExpressionAttributeValues: { ":key": { S: "tried-out" } },
  });
  const item = { TableName, Key: NO_SUCH };
  return {
    "dynamodb:GetItem": (who) => dynamodb(who).send(new GetItemCommand(item)),
    "dynamodb:PutItem": (who) => dynamodb(who).send(new PutItemCommand({ TableName, Item: NO_SUCH, ...isThere })),
    "dynamodb:Query of `list`": (who) => dynamodb(who).send(new QueryCommand({ ...of("listPk"), IndexName: "list" })),
    "dynamodb:Query of `open`": (who) => dynamodb(who).send(new QueryCommand({ ...of("openPk"), IndexName: "open" })),
    "dynamodb:Scan": (who) => dynamodb(who).send(new ScanCommand({ TableName })),
    "dynamodb:DeleteTable": (who) => dynamodb(who).send(new DeleteTableCommand({ TableName })),
  };
}

function queueDeeds(QueueUrl: string): Readonly<Record<string, Deed>> {
  const tooLarge = { QueueUrl, MessageBody: "x".repeat(MESSAGE_MAX_BYTES + 1) };
  const handle = { QueueUrl, ReceiptHandle: "of nothing" };
  return {
    "sqs:SendMessage": (who) => sqs(who).send(new SendMessageCommand(tooLarge)),
    // A visibility of 0 leaves a received message visible to the next receiver.
    "sqs:ReceiveMessage": (who) => sqs(who).send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 })),
    "sqs:DeleteMessage": (who) => sqs(who).send(new DeleteMessageCommand(handle)),
    "sqs:PurgeQueue": (who) => sqs(who).send(new PurgeQueueCommand({ QueueUrl })),
  };
}

function parameterDeeds(environment: string): Readonly<Record<string, Deed>> {
  const path = `/stepwell/${environment}`;
  const Name = `${path}/id-secret`;
  const another = { Name, Value: "another", Type: "SecureString", Overwrite: false } as const;
  return {
    "ssm:GetParameter": (who) => ssm(who).send(new GetParameterCommand({ Name, WithDecryption: true })),
    "ssm:PutParameter": (who) => ssm(who).send(new PutParameterCommand(another)),
    "ssm:DeleteParameter": (who) => ssm(who).send(new DeleteParameterCommand({ Name: `${path}/signing-key-4711` })),
  };
}

function scheduleDeeds(GroupName: string): Readonly<Record<string, Deed>> {
  const Name = "tried-out";
  // A schedule without a role is invalid.
  const incomplete = {
    Name,
    GroupName,
    ScheduleExpression: "at(2099-01-01T00:00:00)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:nowhere", RoleArn: "" },
  } as const;
  return {
    "scheduler:CreateSchedule": (who) => scheduler(who).send(new CreateScheduleCommand(incomplete)),
    "scheduler:DeleteSchedule": (who) => scheduler(who).send(new DeleteScheduleCommand({ Name, GroupName })),
  };
}

function functionDeeds(FunctionName: string): Readonly<Record<string, Deed>> {
  return {
    "lambda:InvokeFunction": (who) => lambda(who).send(new InvokeCommand({ FunctionName, InvocationType: "DryRun" })),
    "lambda:UpdateFunctionConfiguration": (who) =>
      lambda(who).send(new UpdateFunctionConfigurationCommand({ FunctionName })),
  };
}

/** Attempts to gain further rights. */
function roleDeeds(RoleName: string): Readonly<Record<string, Deed>> {
  const policy = { RoleName, PolicyName: "tried-out", PolicyDocument: documentOf([]) };
  const RoleArn = `arn:aws:iam::000000000000:role/${RoleName}`;
  return {
    "iam:PutRolePolicy": (who) => iam("PutRolePolicy", policy, who),
    "sts:AssumeRole": (who) =>
      new STSClient({ credentials: who }).send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "tried-out" })),
  };
}

/** @returns the actions by resource; a resource belongs to the stack under test, to another stack, or to the account */
export function deedsIn(scheduleRole: string) {
  const { plain, doubled } = aws;
  const kinds = Object.keys(PARTITIONS) as PartitionKind[];
  return {
    ...Object.fromEntries(kinds.map((kind) => [`partition of ${kind}`, partitionDeeds(plain, kind)])),
    table: tableDeeds(plain),
    "table of another stack": tableDeeds(doubled),
    queue: queueDeeds(plain.outputs["QueueUrl"]!),
    "dead-letter queue": queueDeeds(plain.outputs["DeadLetterQueueUrl"]!),
    "queue of another stack": queueDeeds(doubled.outputs["QueueUrl"]!),
    parameters: parameterDeeds("StepwellE2e"),
    "parameters of another stack": parameterDeeds("StepwellDoubled"),
    schedules: scheduleDeeds(plain.outputs["ScheduleGroup"]!),
    handler: functionDeeds(aws.handlerArn),
    "function that is no handler": functionDeeds(plain.outputs["SweeperFunction"]!),
    "role of the schedules": roleDeeds(scheduleRole),
  } as const;
}
