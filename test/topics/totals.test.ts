/**
 * Tests many keyed records over several partitions: the totals are exact, the records of each key come in order, and all offsets
 * are committed.
 */
import { expect, test } from "vitest";
import { until } from "../running-processes.ts";
import { startKafka } from "./broker.ts";
import { subscribe, subscription } from "./control-plane.ts";
import { accounts, keyedNumbers, totalOf } from "./keyed-numbers.ts";
import { ledger, progress } from "./sinks.ts";
import { openTopicsStage } from "./topics-stage.ts";

const RECORDS = 10_000;
const KEYS = 100;

const { broker, producer, stage } = await openTopicsStage(startKafka, { services: [ledger] });

/** Waits as long as the handler runs for more records: ten thousand take minutes on a busy machine. */
async function runsReach(count: number): Promise<void> {
  while (progress.runs < count) {
    const before = progress.runs;
    await until(() => progress.runs > before);
  }
}

test(`${RECORDS} records of ${KEYS} keys over four partitions reach their objects once and in order`, async () => {
  await producer.createTopic("totals", 4);
  const id = await subscribe(stage, "totals", "Ledger/add");
  await producer.send("totals", keyedNumbers(RECORDS, KEYS));
  await runsReach(RECORDS);
  await until(async () => totalOf(await accounts(stage, KEYS)).count >= RECORDS);
  const found = await accounts(stage, KEYS);
  const sum = (RECORDS * (RECORDS - 1)) / 2;
  expect(totalOf(found)).toEqual({ count: RECORDS, sum, disorder: 0 });
  expect(found.map(({ count }) => count)).toEqual(Array.from({ length: KEYS }, () => RECORDS / KEYS));
  const { partitions, status } = await subscription(stage, id);
  expect([status, partitions.reduce((all, one) => all + one.next_offset, 0)]).toEqual(["consuming", RECORDS]);
  await until(async () => {
    const committed = await producer.committed(id, "totals", 4);
    return committed.reduce((all, one) => all + one, 0) === RECORDS;
  });
  expect(stage.logged).toEqual([]);
});

test("a subscription reads on from the same offsets after its broker ends and starts again", async () => {
  await producer.createTopic("restarted", 3);
  const id = await subscribe(stage, "restarted", "Ledger/add");
  await producer.send("restarted", keyedNumbers(300, 10, "before-"));
  await runsReach(RECORDS + 300);
  await broker.stop("SIGKILL");
  await until(async () => (await subscription(stage, id)).status === "failing");
  expect((await subscription(stage, id)).last_error?.message).toMatch(/ECONNREFUSED|closed|connect/i);
  await broker.start();
  await producer.send("restarted", keyedNumbers(300, 10, "after-"));
  await runsReach(RECORDS + 600);
  await until(async () => totalOf(await accounts(stage, 10, "after-")).count >= 300);
  await until(async () => (await subscription(stage, id)).status === "consuming");
  const both = [...(await accounts(stage, 10, "before-")), ...(await accounts(stage, 10, "after-"))];
  expect(totalOf(both)).toEqual({ count: 600, sum: 2 * ((300 * 299) / 2), disorder: 0 });
});
