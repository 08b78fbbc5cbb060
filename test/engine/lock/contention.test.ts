/**
 * The cost of a call on a contended key hardly depends on the number of waiting calls: counted with ten and with ten thousand.
 */
import { expect, test } from "vitest";
import { SystemClock } from "../../../shared/adapters/system/clock.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { ActiveInvocations } from "../../../shared/engine/local/active-invocations.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { send } from "../../../shared/engine/ingress/send.ts";
import { createStoredRegistry } from "../../../shared/engine/register/stored-registry.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { deployment } from "../../core/registry/sample-deployment.ts";
import { RecordingLog, silentMeter } from "../../recording-log.ts";
import { MemoryQueue } from "../../simulation/memory-queue.ts";
import { MemoryTable } from "../../simulation/memory-table.ts";
import { MemoryTimers } from "../../simulation/memory-timers.ts";
import { CountedTable, type TableCounts } from "../../harness/engine/counted-table.ts";
import { stageSettings } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import { ScriptedDeployment } from "../../harness/engine/scripted-deployment.ts";

const FEW = 10;
const MANY = 10_000;

/** @returns the mean cost of a call when `waiting` calls wait for one key at the same time, and the sum of all transactions */
async function costOfEach(waiting: number): Promise<TableCounts> {
  const gate = new Gate();
  let ended = 0;
  const all = new Gate();
  const endpoints = new ScriptedDeployment({
    add: async (ctx) => {
      await gate.passed;
      if (++ended === waiting) all.open();
      return addCount(ctx);
    },
  });
  const clock = new SystemClock();
  const table = new CountedTable(new MemoryTable(), new Map());
  const meta = new MemoryTable();
  const queue = new MemoryQueue(clock);
  const settings = stageSettings();
  await writeDeployment(meta, "", deployment(1, [objectOf(["add"])]), 0);
  const engine: Engine = {
    table,
    meta,
    queue,
    timers: new MemoryTimers(clock, queue),
    endpoints,
    registry: createStoredRegistry({ meta, clock, settings }),
    clock,
    ids: new SecretIdSource(new Uint8Array(32)),
    log: new RecordingLog(),
    meter: silentMeter,
    activeInvocations: new ActiveInvocations(clock, "contended"),
    bulkheads: newBulkheads(clock),
    settings,
  };
  const stopping = new AbortController();
  const working = runWorker(engine, stopping.signal, { concurrencyMax: 100 });
  for (let at = 0; at < waiting; at++) await send(engine, keyed("O", "k", "add", "1"));
  const target = { service: "O", key: "k" };
  expect(await lockAt(engine, objectPartition(engine, target))).toMatchObject({ head: 0, tail: waiting - 1 });
  gate.open();
  await all.passed;
  while (queue.size > 0 || engine.activeInvocations.size > 0) await clock.sleep(10);
  stopping.abort();
  await working;
  const last = await lockAt(engine, objectPartition(engine, target));
  expect([last.holder, new TextDecoder().decode(last.state.inline.get("count"))]).toEqual([undefined, String(waiting)]);
  const { counts } = table.take(true);
  const each = (count: number): number => count / waiting;
  const { items, refused, list, open, reads, transactions } = counts;
  return {
    items: each(items),
    refused: each(refused),
    list: each(list),
    open: each(open),
    reads: each(reads),
    transactions,
  };
}

test("a call that waits for a key with ten thousand others costs at most 1.2 times as much as with ten, and takes no transaction", async () => {
  const few = await costOfEach(FEW);
  const many = await costOfEach(MANY);
  const told = ({ items, list, open, reads }: TableCounts): string =>
    `${items.toFixed(2)} item units, ${(list + open).toFixed(2)} index units, ${reads.toFixed(2)} reads`;
  console.log(`a contended exclusive send, of ${FEW}: ${told(few)}; of ${MANY}: ${told(many)}`);
  expect(many.items + many.list + many.open).toBeLessThanOrEqual(1.2 * (few.items + few.list + few.open));
  expect(many.reads).toBeLessThanOrEqual(1.2 * few.reads);
  expect([few.transactions, many.transactions]).toEqual([0, 0]);
});
