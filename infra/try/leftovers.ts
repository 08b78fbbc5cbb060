/** Looks for resources that the removed stack left in the account, and deletes log groups that came back. */
import { CloudWatchLogsClient, DeleteLogGroupCommand, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetParametersByPathCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { StackPart, TryStack } from "./try-stack.ts";

/** Resources that stay after the removal of the stack, described for the user. */
export const STAYS: readonly string[] = [
  "the CDK's own bootstrap stack, which was there before, with the uploaded code in its bucket (`npx cdk gc` clears it)",
  "on AWS, a free backup of the table for 35 days, and roles that AWS makes for its own services",
];

export const LOG_GROUP = "AWS::Logs::LogGroup";
const TABLE = "AWS::DynamoDB::GlobalTable";

/** A search, with the name of the resources that it looks for. */
interface Look {
  readonly what: string;
  readonly find: () => Promise<readonly string[]>;
}

/**
 * @param parts the parts of the stack before its removal; queues are excluded, because AWS lists them for a minute
 * after their deletion
 */
export async function leftovers(stack: TryStack, parts: readonly StackPart[]): Promise<readonly string[]> {
  const named = (type: string): readonly string[] => parts.filter((part) => part.type === type).map(({ name }) => name);
  // After an aborted run the parts are incomplete. The search therefore also uses the two prefixes that the names of
  // the stack's log groups have.
  const logs = [...named(LOG_GROUP), `${stack.name}-`, `/aws/lambda/${stack.name}-`];
  const looks: readonly Look[] = [
    { what: "the stack", find: async () => [(await stack.look())?.status].filter((status) => status !== undefined) },
    { what: "parameters", find: () => parametersBelow(`/stepwell/${stack.name}`) },
    { what: "log groups", find: async () => (await Promise.all(logs.map(logGroupsThatBegin))).flat() },
    ...named(TABLE).map((name) => ({ what: "the table", find: () => tableNamed(name) })),
  ];
  return (await Promise.all(looks.map(lookAt))).flat();
}

/**
 * Deletes the log groups of the removed stack that exist again. A function that still ran while its log group was
 * deleted creates the group again with its next line.
 * @param parts the parts of the stack before its removal
 */
export async function deleteLateLogGroups(parts: readonly StackPart[]): Promise<void> {
  const client = new CloudWatchLogsClient({});
  for (const { type, name } of parts) {
    if (type !== LOG_GROUP) continue;
    // Most of these groups do not exist. If AWS refuses to delete one, `leftovers` still finds it.
    await client.send(new DeleteLogGroupCommand({ logGroupName: name })).catch(() => undefined);
  }
}

async function lookAt({ what, find }: Look): Promise<readonly string[]> {
  try {
    return (await find()).map((name) => `${what}: ${name}`);
  } catch (error) {
    const { name, message } = error as Error;
    return /NotFound/.test(name) ? [] : [`${what}: not looked for (${message})`];
  }
}

async function parametersBelow(path: string): Promise<readonly string[]> {
  const client = new SSMClient({});
  const { Parameters = [] } = await client.send(new GetParametersByPathCommand({ Path: path }));
  return Parameters.map(({ Name }) => String(Name));
}

async function logGroupsThatBegin(prefix: string): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient({});
  const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: prefix }));
  return logGroups.map(({ logGroupName }) => String(logGroupName));
}

async function tableNamed(name: string): Promise<readonly string[]> {
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: name }));
  return Table?.TableStatus === "DELETING" ? [] : [name];
}
