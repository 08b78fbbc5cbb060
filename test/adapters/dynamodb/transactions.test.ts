/** Tests the request tokens by which DynamoDB recognises a transaction that is sent again. */
import {
  TransactionCanceledException,
  type DynamoDBClient,
  type TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { DynamoTable } from "../../../shared/adapters/dynamodb/dynamodb-table.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const throttled = () => Object.assign(new Error("too much"), { name: "ThrottlingException" });
const conflict = () =>
  new TransactionCanceledException({
    message: "cancelled",
    $metadata: {},
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });

/** @returns the token of each request; the first requests fail with the given errors */
async function tokensOf(...errors: Error[]): Promise<(string | undefined)[]> {
  const tokens: (string | undefined)[] = [];
  const send = async ({ input }: TransactWriteItemsCommand): Promise<object> => {
    tokens.push(input.ClientRequestToken);
    const error = errors[tokens.length - 1];
    if (error !== undefined) throw error;
    return {};
  };
  const clock = new SteppedClock();
  const table = new DynamoTable({ client: { send } as unknown as DynamoDBClient, tableName: "t", clock });
  const written = table.transact([{ kind: "put", item: { pk: "p", sk: "s" }, condition: { kind: "absent" } }]);
  await clock.advance(60_000);
  expect(await written).toEqual({ written: true });
  return tokens;
}

test("a throttled transaction is resent with its token, because an earlier try may have succeeded", async () => {
  const [first, ...later] = await tokensOf(throttled(), throttled());
  expect(first).toMatch(/./);
  expect(later).toEqual([first, first]);
});

test("a transaction that a conflict cancelled is retried with a new token", async () => {
  const [first, second] = await tokensOf(conflict());
  expect(first).toMatch(/./);
  expect(second).toMatch(/./);
  expect(second).not.toBe(first);
});

test("two transactions have two tokens", async () => {
  expect(await tokensOf()).not.toEqual(await tokensOf());
});
