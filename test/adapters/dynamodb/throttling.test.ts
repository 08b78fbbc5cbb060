/** Tests that throttled requests are retried, and that the error names the bottleneck. */
import { ProvisionedThroughputExceededException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { DynamoTable } from "../../../shared/adapters/dynamodb/dynamodb-table.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const REASON = "TableWriteKeyRangeThroughputExceeded";
const throttled = () =>
  Object.assign(new ProvisionedThroughputExceededException({ message: "too much", $metadata: {} }), {
    throttlingReasons: [{ reason: REASON, resource: "arn:aws:dynamodb:eu-west-1:1:table/t" }],
  });

/** A table whose client fails the first `times` requests as throttled. */
function tableRefusing(times: number) {
  const clock = new SteppedClock();
  let sent = 0;
  const client = {
    send: async () => {
      if (sent++ < times) throw throttled();
      return {};
    },
  };
  const table = new DynamoTable({ client: client as never, tableName: "t", clock });
  return { clock, table, sent: () => sent };
}

test("a throttled write is retried, each time after a wait, until it succeeds", async () => {
  const { clock, table, sent } = tableRefusing(3);
  const written = table.put({ pk: "a", sk: "b" });
  await clock.advance(99);
  expect(sent()).toBe(1);
  await clock.advance(60_000);
  expect(await written).toEqual({ written: true });
  expect(sent()).toBe(4);
});

test("a throttled read is retried too", async () => {
  const { clock, table, sent } = tableRefusing(1);
  const read = table.get({ pk: "a", sk: "b" });
  await clock.advance(60_000);
  expect(await read).toBeUndefined();
  expect(sent()).toBe(2);
});

test("a request that stays throttled fails with the name of the bottleneck", async () => {
  const { clock, table, sent } = tableRefusing(Infinity);
  const refused = table.put({ pk: "a", sk: "b" }).catch((error: unknown) => error);
  await clock.advance(60_000);
  const error = await refused;
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).message).toContain(`${REASON} at arn:aws:dynamodb:eu-west-1:1:table/t`);
  expect(sent()).toBe(5);
});
