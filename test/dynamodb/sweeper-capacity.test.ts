/** What a look and an extension ask of DynamoDB, and of the processor of the sweeper: the counts under its ceilings in docs/operating.md. */
import { beforeEach, expect, test } from "vitest";
import { sweeperPk } from "../../shared/engine/ledger/item-keys.ts";
import { sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import type { Play } from "../engine/budget-play.ts";
import { complete } from "../engine/ended-invocations.ts";
import { EXTENSION, LOOK } from "../docs/sweeper-capacity.ts";
import { plantOpen } from "../engine/sweep/planted.ts";
import { meteredStage } from "./metered-stage.ts";
import type { MeteredTable } from "./open-table.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ENDED = 500;
const SLEEPERS = 50;
const ASLEEP = 500;

const standing = meteredStage();
let journal: MeteredTable;
let play: Play;
beforeEach(async () => {
  ({ journal, play } = standing());
  await journal.table.delete({ pk: sweeperPk(""), sk: "listed" });
});

/** Requests, and the time of this process's processor in milliseconds, for each of so many. */
async function costOfEach(count: number) {
  const [from, before] = [journal.consumed.length, process.cpuUsage()];
  const report = await sweepOnce(play.front.engine);
  const { user, system } = process.cpuUsage(before);
  return { report, requests: (journal.consumed.length - from) / count, cpuMs: (user + system) / 1000 / count };
}

test("a look at an ended call takes no more requests than the ceilings are computed with", async () => {
  await complete(journal.table, play.front.engine, ENDED, MINUTE_MS);
  await play.clock.advance(10 * MINUTE_MS);
  const { requests, cpuMs } = await costOfEach(ENDED);
  console.log(`a look: ${requests.toFixed(3)} requests, ${cpuMs.toFixed(2)} ms of a processor`);
  expect(requests).toBeLessThanOrEqual(LOOK.requests);
});

test("an extension of a sleeper takes no more requests than the ceilings are computed with, and comes once in two weeks", async () => {
  for (let at = 0; at < SLEEPERS; at++) await play.send("Leaf/signalled", at);
  await play.drain();
  await play.clock.advance(10 * MINUTE_MS);
  await sweepOnce(play.front.engine);
  await play.clock.advance(30 * HOUR_MS);
  const { report, requests, cpuMs } = await costOfEach(SLEEPERS);
  expect(report.extended).toBe(SLEEPERS);
  console.log(`an extension and a look: ${requests.toFixed(2)} requests, ${cpuMs.toFixed(2)} ms of a processor`);
  expect(requests).toBeLessThanOrEqual(EXTENSION.requests);
  await play.clock.advance(13 * 24 * HOUR_MS);
  expect((await sweepOnce(play.front.engine)).extended).toBe(0);
  await play.clock.advance(2 * 24 * HOUR_MS);
  expect((await sweepOnce(play.front.engine)).extended).toBe(SLEEPERS);
});

test("an entry of the open index at which there is nothing to do takes no request of its own", async () => {
  // As many at a time as the engine takes connections.
  for (let at = 0; at < ASLEEP; at += 50) {
    const lookAtMs = play.clock.nowMs() + 24 * HOUR_MS + at;
    const asleep = Array.from({ length: 50 }, () => ({ status: "backing-off" as const, lookAtMs }));
    await plantOpen(journal.table, play.front.engine, asleep);
  }
  // The first walk of all reads what arrived for each.
  await sweepOnce(play.front.engine);
  await play.clock.advance(10 * MINUTE_MS);
  const { requests, cpuMs } = await costOfEach(ASLEEP);
  console.log(`an entry: ${requests.toFixed(3)} requests, ${cpuMs.toFixed(3)} ms of a processor`);
  expect(requests).toBeLessThan(0.5);
});
