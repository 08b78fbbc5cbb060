/** The table's contract on a DynamoDB engine, and properties that only DynamoDB has: capacity, projections, foreign items. */
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dynamoClient } from "../../shared/adapters/dynamodb/dynamodb-client.ts";
import { DynamoTable } from "../../shared/adapters/dynamodb/dynamodb-table.ts";
import { StoreError } from "../../shared/engine/ports/table.ts";
import { freshPartition } from "../contracts/fresh-partition.ts";
import { tableContract } from "../contracts/table-contract.ts";
import { openTable, systemClock, type MeteredTable } from "./open-table.ts";

tableContract("dynamodb", openTable);

describe("the table on DynamoDB", () => {
  let opened: MeteredTable;
  beforeAll(async () => {
    opened = await openTable();
  });
  afterAll(() => opened.close());

  test("reports the consumption of each write, in the table and in each index", async () => {
    const { table, consumed } = opened;
    const pk = freshPartition();
    consumed.length = 0;
    await table.put({ pk, sk: "a", bytes: new Uint8Array(500) });
    await table.put({ pk, sk: "b", bytes: new Uint8Array(1500), listPk: pk, listSk: "1" });
    await table.update({ pk, sk: "a" }, { set: { openPk: pk, openSk: "1" } });
    await table.update({ pk, sk: "a" }, { set: { openSk: "2" } });
    await table.delete({ pk, sk: "b" });
    await table.transact([{ kind: "put", item: { pk, sk: "c" } }]);
    expect(consumed).toEqual([
      { operation: "put", tableUnits: 1, indexUnits: { list: 0, open: 0 } },
      { operation: "put", tableUnits: 2, indexUnits: { list: 1, open: 0 } },
      { operation: "update", tableUnits: 1, indexUnits: { list: 0, open: 1 } },
      { operation: "update", tableUnits: 1, indexUnits: { list: 0, open: 2 } },
      { operation: "delete", tableUnits: 2, indexUnits: { list: 1, open: 0 } },
      { operation: "transact", tableUnits: 2, indexUnits: { list: 0, open: 0 } },
    ]);
  });

  test("an index shows the keys and the projected attributes", async () => {
    const { table } = opened;
    const pk = freshPartition();
    await table.put({ pk, sk: "a", listPk: pk, listSk: "l", openPk: pk, openSk: "o", n: 1, hidden: 2 });
    expect((await table.queryIndex("list", pk)).items).toEqual([{ pk, sk: "a", listPk: pk, listSk: "l", n: 1 }]);
    expect((await table.queryIndex("open", pk)).items).toEqual([{ pk, sk: "a", openPk: pk, openSk: "o" }]);
  });

  test("an item that is too large is refused before it is sent", async () => {
    const { table, consumed } = opened;
    consumed.length = 0;
    const item = { pk: freshPartition(), sk: "a", bytes: new Uint8Array(400 * 1024) };
    await expect(table.put(item)).rejects.toThrow(/larger than 400 KB/);
    await expect(table.transact([{ kind: "put", item }])).rejects.toThrow(/larger than 400 KB/);
    expect(consumed).toEqual([]);
  });

  test("the largest item that fits is stored", async () => {
    const pk = freshPartition();
    const size = 400 * 1024 - "pk".length - pk.length - "sk".length - "a".length - "bytes".length;
    expect(await opened.table.put({ pk, sk: "a", bytes: new Uint8Array(size) })).toEqual({ written: true });
    await expect(opened.table.put({ pk, sk: "a", bytes: new Uint8Array(size + 1) })).rejects.toThrow(/400 KB/);
  });

  test("an item with unknown types of attributes is a StoreError", async () => {
    const { client, table, tableName } = opened;
    const pk = freshPartition();
    const Item = { pk: { S: pk }, sk: { S: "a" }, list: { L: [{ S: "x" }] } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    await expect(table.get({ pk, sk: "a" })).rejects.toThrow(/list is of a type/);
  });

  test("a failure of the service is a StoreError that carries its cause", async () => {
    const absent = new DynamoTable({ client: opened.client, tableName: "no-such-table", clock: systemClock });
    const error: unknown = await absent.get({ pk: "a", sk: "b" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ cause: { name: "ResourceNotFoundException" } });
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const client = dynamoClient({ endpoint: "http://127.0.0.1:9", region: "eu-west-1", credentials });
    const unreachable = new DynamoTable({ client, tableName: "t", clock: systemClock });
    await expect(unreachable.put({ pk: "a", sk: "b" })).rejects.toBeInstanceOf(StoreError);
    await expect(unreachable.transact([{ kind: "delete", key: { pk: "a", sk: "b" } }])).rejects.toBeInstanceOf(
      StoreError,
    );
  });
});
