/**
 * Counts the requests and the processor time of a look at an invocation, and of an extension of the time to live of its items,
 * for the ceilings in docs/operating/evidence.md.
 */
import { beforeEach, expect, test } from "vitest";
import { sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import type { Play } from "../harness/engine/budget-play.ts";
import { complete } from "../harness/engine/ended-invocations.ts";
import { EXTENSION, LOOK } from "../docs/sweeper-capacity.ts";
import { plantOpen } from "../harness/engine/planted.ts";
import { meteredStage } from "./metered-stage.ts";
import type { MeteredTable } from "./open-table.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ENDED = 2_000;
const SLEEPERS = 100;
const ASLEEP = 3_000;

const standing = meteredStage("test");
let journal: MeteredTable;
let play: Play;
beforeEach(() => {
  ({ journal, play } = standing());
});

interface Cost {
  readonly requests: number;
  readonly cpuMs: number;
}

/** The requests of one pass of the sweeper, and its processor time in this process. */
async function costOfPass(): Promise<Cost & { readonly report: Awaited<ReturnType<typeof sweepOnce>> }> {
  const [from, before] = [journal.consumed.length, process.cpuUsage()];
  const report = await sweepOnce(play.front.engine);
  const { user, system } = process.cpuUsage(before);
  return { report, requests: journal.consumed.length - from, cpuMs: (user + system) / 1000 };
}

/** The cost that each of `count` entries adds to a pass that finds no work. */
function eachOf(count: number, pass: Cost, idle: Cost): Cost {
  return { requests: (pass.requests - idle.requests) / count, cpuMs: (pass.cpuMs - idle.cpuMs) / count };
}

function told(what: string, { requests, cpuMs }: Cost): void {
  console.log(`${what}: ${requests.toFixed(3)} requests, ${cpuMs.toFixed(3)} ms of a processor`);
}

/** The cost of a pass over ten minutes without an acceptance. A pass before it warms the program up. */
async function idlePass(): Promise<Cost> {
  await sweepOnce(play.front.engine);
  await play.clock.advance(10 * MINUTE_MS);
  const idle = await costOfPass();
  told("a pass that finds nothing", idle);
  return idle;
}

test("a look at an ended call takes no more requests than the ceilings assume", async () => {
  const idle = await idlePass();
  await complete(journal.table, play.front.engine, ENDED, MINUTE_MS);
  await play.clock.advance(10 * MINUTE_MS);
  const look = eachOf(ENDED, await costOfPass(), idle);
  told("a look", look);
  expect(look.requests).toBeLessThanOrEqual(LOOK.requests);
});

test("an extension of a sleeper takes no more requests than the ceilings assume, and comes once in two weeks", async () => {
  const idle = await idlePass();
  for (let at = 0; at < SLEEPERS; at++) await play.send("Leaf/signalled", at);
  await play.drain();
  await play.clock.advance(10 * MINUTE_MS);
  await sweepOnce(play.front.engine);
  await play.clock.advance(30 * HOUR_MS);
  const pass = await costOfPass();
  expect(pass.report.extended).toBe(SLEEPERS);
  const extension = eachOf(SLEEPERS, pass, idle);
  told("an extension and a look", extension);
  expect(extension.requests).toBeLessThanOrEqual(EXTENSION.requests);
  await play.clock.advance(13 * 24 * HOUR_MS);
  expect((await sweepOnce(play.front.engine)).extended).toBe(0);
  await play.clock.advance(3 * 24 * HOUR_MS);
  expect((await sweepOnce(play.front.engine)).extended).toBe(SLEEPERS);
});

test("an entry of the open index that needs no look takes less than a twentieth of a request", async () => {
  const idle = await idlePass();
  // Each group has 50 entries, so that at most 50 writes run at a time.
  for (let at = 0; at < ASLEEP; at += 50) {
    const lookAtMs = play.clock.nowMs() + 48 * HOUR_MS + at;
    const asleep = Array.from({ length: 50 }, () => ({ status: "backing-off" as const, lookAtMs }));
    await plantOpen(journal.table, play.front.engine, asleep);
  }
  // A walk reads the arrivals of each entry whose age has doubled since the last walk. The measured walk comes only ten minutes
  // after these two walks, so it reads the arrivals of few entries.
  for (let walks = 0; walks < 2; walks++) {
    await play.clock.advance(10 * HOUR_MS);
    await sweepOnce(play.front.engine);
  }
  await play.clock.advance(10 * MINUTE_MS);
  const entry = eachOf(ASLEEP, await costOfPass(), idle);
  told("an entry", entry);
  expect(entry.requests).toBeLessThan(0.05);
});
