/** What is still in the account after the stack is gone, looked for by name in every store that it had. */
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetParametersByPathCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { Outputs, TryStack } from "./try-stack.ts";

/** How a look is told of: nothing, what is there, or that one may not look. */
interface Look {
  readonly what: string;
  readonly find: () => Promise<readonly string[]>;
}

/** Queues are not looked for: AWS shows them for a minute after they are gone. */
export async function leftovers(stack: TryStack, outputs: Outputs): Promise<readonly string[]> {
  const found = await Promise.all(looks(stack, outputs).map(lookAt));
  return found.flat();
}

/** What nothing of this command can take away, and why it does no harm. */
export const STAYS: readonly string[] = [
  "the CDK's own bootstrap stack, which was there before, with the uploaded code in its bucket (`npx cdk gc` clears it)",
  "on AWS, a free backup of the table for 35 days, and roles that AWS makes for its own services",
];

function looks(stack: TryStack, { TableName }: Outputs): readonly Look[] {
  return [
    { what: "the stack", find: async () => [(await stack.look())?.status].filter((status) => status !== undefined) },
    { what: "the parameters", find: () => parametersBelow(`/stepwell/${stack.name}`) },
    { what: "the log groups", find: () => logGroupsOf(stack.name) },
    ...(TableName === undefined ? [] : [{ what: "the table", find: () => tableNamed(TableName) }]),
  ];
}

async function lookAt({ what, find }: Look): Promise<readonly string[]> {
  try {
    return (await find()).map((name) => `${what}: ${name}`);
  } catch (error) {
    const { name, message } = error as Error;
    if (/NotFound/.test(name)) return [];
    return [`${what}: not looked for (${message})`];
  }
}

async function parametersBelow(path: string): Promise<readonly string[]> {
  const client = new SSMClient({});
  const { Parameters = [] } = await client.send(new GetParametersByPathCommand({ Path: path }));
  return Parameters.map(({ Name }) => String(Name));
}

export async function logGroupsOf(stackName: string): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient({});
  const prefixes = [`${stackName}-`, `/aws/lambda/${stackName}-`];
  const pages = prefixes.map((prefix) => client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: prefix })));
  return (await Promise.all(pages)).flatMap(({ logGroups = [] }) =>
    logGroups.map((group) => String(group.logGroupName)),
  );
}

async function tableNamed(name: string): Promise<readonly string[]> {
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: name }));
  return Table?.TableStatus === "DELETING" ? [] : [name];
}
