/** Tables on the DynamoDB engine that `run.mjs` started. */
import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoTable, type Consumed } from "../../shared/adapters/dynamodb/dynamodb-table.ts";
import { dynamoClient } from "../../shared/adapters/dynamodb/dynamodb-client.ts";
import { tableDefinition } from "../../shared/adapters/dynamodb/table-definition.ts";
import type { Clock } from "../../shared/engine/ports/clock.ts";
import type { IndexName } from "../../shared/engine/ports/table.ts";
import type { OpenTable } from "../contracts/table-contract.ts";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(() => resolve(true), ms)),
};

export function engineClient(): DynamoDBClient {
  const endpoint = process.env["STEPWELL_TEST_DYNAMODB_ENDPOINT"];
  if (endpoint === undefined) throw new Error("run these tests through test/dynamodb/run.mjs");
  return dynamoClient({ endpoint, region: "eu-west-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } });
}

export interface MeteredTable extends OpenTable {
  readonly table: DynamoTable;
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** The consumption so far, request by request. */
  readonly consumed: Consumed[];
}

/**
 * Makes a table, which `close` drops.
 * @param projected the attributes that its indexes show in addition to the keys
 */
export async function openTable(
  projected: Readonly<Record<IndexName, readonly string[]>> = { list: ["n"], open: [] },
): Promise<MeteredTable> {
  const client = engineClient();
  const tableName = `contract-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  await client.send(new CreateTableCommand(tableDefinition(tableName, projected)));
  const consumed: Consumed[] = [];
  const onConsumed = (one: Consumed): void => void consumed.push(one);
  const table = new DynamoTable({ client, tableName, clock: systemClock, onConsumed });
  const close = async (): Promise<void> => {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
    client.destroy();
  };
  return { table, client, tableName, consumed, close };
}
