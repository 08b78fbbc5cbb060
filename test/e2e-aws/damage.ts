/** Damages items of the table, parameters and function processes; each change of an item or a parameter can be undone. */
import { DynamoDBClient, GetItemCommand, PutItemCommand, type AttributeValue } from "@aws-sdk/client-dynamodb";
import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { functionNames, processesOf, signal } from "./function-processes.ts";
import type { DeployedStack } from "./control-plane.ts";

const dynamodb = new DynamoDBClient({});
const ssm = new SSMClient({});

type Undo = () => Promise<void>;
type StoredAttributes = Readonly<Record<string, AttributeValue>>;

/**
 * @param changes attributes that replace those of the item
 * @returns a function that restores the item
 */
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

/** @returns a function that restores the former value */
export async function replaceParameter(name: string, value: string): Promise<Undo> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  const put = async (Value: string) => {
    await ssm.send(new PutParameterCommand({ Name: name, Value, Type: "SecureString", Overwrite: true }));
  };
  await put(value);
  return () => put(Parameter!.Value!);
}

/** Kills the processes of the functions, as a deployment or Lambda itself may do. The next call starts new ones. */
export function endFunctionProcesses(stack: DeployedStack): void {
  signal(processesOf(functionNames(stack)), "SIGKILL");
}
