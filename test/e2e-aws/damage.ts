/** What an accident does to stored things, and its undoing: records of the table, and parameters. */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { functionNames, processesOf, signal } from "./function-processes.ts";
import type { DeployedStack } from "./control-plane.ts";

const dynamodb = new DynamoDBClient({});
const ssm = new SSMClient({});

type Undo = () => Promise<void>;
type StoredAttributes = Readonly<Record<string, AttributeValue>>;

/** @param changes attributes put in place of those that stand @returns puts the item back as it was */
export async function damageItem(
  { outputs }: DeployedStack,
  key: { readonly pk: string; readonly sk: string },
  changes: StoredAttributes,
): Promise<Undo> {
  const TableName = outputs["TableName"]!;
  const Key = { pk: { S: key.pk }, sk: { S: key.sk } };
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  if (Item === undefined) throw new Error(`there is no item ${key.pk} ${key.sk}`);
  await dynamodb.send(new PutItemCommand({ TableName, Item: { ...Item, ...changes } }));
  return async () => void (await dynamodb.send(new PutItemCommand({ TableName, Item })));
}

/** @returns puts the former value back */
export async function replaceParameter(name: string, value: string): Promise<Undo> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  const put = async (Value: string) => {
    await ssm.send(new PutParameterCommand({ Name: name, Value, Type: "SecureString", Overwrite: true }));
  };
  await put(value);
  return () => put(Parameter!.Value!);
}

/** As a deployment does, and as Lambda does of its own accord: what is called next starts anew. */
export function endFunctionProcesses(stack: DeployedStack): void {
  signal(processesOf(functionNames(stack)), "SIGKILL");
}
