/**
 * Counts the operations of a shape, which is one kind of work (`CostShape`), on the table, the queue and the schedules. The shape
 * runs in the harness of the write budget (`playShape`), with the codec and the timers of AWS.
 */
import { join } from "node:path";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { deflateCodec } from "../../shared/adapters/system/deflate-codec.ts";
import { untilNextCheckMs } from "../../shared/engine/lease/release.ts";
import { sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { BASE_SETTINGS } from "../harness/engine/base-settings.ts";
import { type Play, playShape } from "../harness/engine/budget-play.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { ReadMeter } from "../harness/engine/read-meter.ts";
import type { CostShape } from "./cost-shapes.ts";
import { startScriptedScheduler, type ScriptedScheduler } from "./scripted-scheduler.ts";

export interface CostCounts {
  readonly tableWrites: number;
  readonly indexWrites: number;
  readonly readUnits: number;
  readonly sends: number;
  /** Messages that workers take. */
  readonly messages: number;
  readonly schedules: number;
  /** Requests to the two HTTP APIs. */
  readonly requests: number;
}

const SWEEP_EVERY_MS = 300_000;
/** A pass that crosses midnight reads the listing of two days, so each count starts at noon. */
const NOON_MS = Date.UTC(2026, 0, 1, 12);
/** The number of counted passes. The very first pass is not counted, because it writes the beginning of the walk. */
const SWEEPS = 2;

export async function countShape({ requests, before, play }: CostShape): Promise<CostCounts> {
  if (before === undefined) return await counted(requests, play);
  const all = await counted(requests, async (on, scheduler) => (await before(on), await play(on, scheduler)));
  return shareOf(1, all, await counted(0, before));
}

const LOOKED_AT = 20;
const MONTH_MS = 30 * 86_400_000;

/**
 * Counts the sweeper's one look at each accepted invocation, some minutes after its acceptance.
 * @param idle the counts of a pass that finds nothing
 */
export async function countLook(idle: CostCounts): Promise<CostCounts> {
  const calls = async (play: Play): Promise<void> => {
    // The very first pass writes the beginning of the walk.
    await sweepOnce(play.front.engine);
    for (let at = 0; at < LOOKED_AT; at++) await play.call("Leaf/echo", at);
    await play.drain();
    await play.clock.advance(2 * SWEEP_EVERY_MS);
  };
  const bare = await swept(calls);
  const looked = await swept(async (play) => {
    await calls(play);
    await sweepOnce(play.front.engine);
  });
  return shareOf(LOOKED_AT, looked, bare, idle);
}

/**
 * Counts the operations of a month for one invocation that waits for an outside event. The sweeper looks at the invocation as
 * often as the check interval demands, and extends the time to live of its items.
 */
export async function countMonth(idle: CostCounts): Promise<CostCounts & { readonly looks: number }> {
  const waits = async (play: Play): Promise<void> => {
    await play.send("Leaf/signalled", null);
    await play.drain();
  };
  let looks = 0;
  const waited = await swept(async (play) => {
    await waits(play);
    const sinceMs = play.clock.nowMs();
    for (; ; looks++) {
      const waitedMs = play.clock.nowMs() - sinceMs;
      const untilMs = untilNextCheckMs(waitedMs, BASE_SETTINGS.checkIntervalMs) + SWEEP_EVERY_MS;
      if (waitedMs + untilMs > MONTH_MS) return;
      await play.clock.advance(untilMs);
      await sweepOnce(play.front.engine);
      await play.drain();
    }
  });
  const bare = await swept(waits);
  return { ...shareOf(1, waited, bare, times(looks, idle)), looks };
}

function times(count: number, one: CostCounts): CostCounts {
  const scaled = Object.entries(one).map(([name, value]) => [name, value * count] as const);
  return Object.fromEntries(scaled) as unknown as CostCounts;
}

function shareOf(count: number, all: CostCounts, ...without: readonly CostCounts[]): CostCounts {
  const names = Object.keys(all) as (keyof CostCounts)[];
  const share = (name: keyof CostCounts) =>
    Math.ceil((all[name] - without.reduce((sum, one) => sum + one[name], 0)) / count);
  return Object.fromEntries(names.map((name) => [name, share(name)])) as unknown as CostCounts;
}

/** Counts one pass of the sweeper over a table without open invocations. */
export async function countSweep(): Promise<CostCounts> {
  const passes = (count: number) =>
    swept(async ({ front, clock }) => {
      for (let pass = 0; pass < count; pass++) {
        await sweepOnce(front.engine);
        await clock.advance(SWEEP_EVERY_MS);
      }
    });
  return shareOf(SWEEPS, await passes(1 + SWEEPS), await passes(1));
}

function swept(play: (play: Play) => Promise<void>): Promise<CostCounts> {
  return counted(0, play, NOON_MS);
}

async function counted(
  requests: number,
  play: (play: Play, scheduler: ScriptedScheduler) => Promise<void>,
  startMs?: number,
): Promise<CostCounts> {
  const dir = await temporaryDirectory();
  const journal = await openStore(join(dir, "journal"), { kind: "journal" });
  const meta = await openStore(join(dir, "meta"), { kind: "meta" });
  const scheduler = await startScriptedScheduler();
  try {
    const table = new ReadMeter(new EmbeddedTable(journal), PROJECTED);
    const parts = { codec: deflateCodec, timers: scheduler.timers };
    const tables = { table, meta: new EmbeddedTable(meta) };
    const { inAll } = await playShape((on) => play(on, scheduler), tables, undefined, parts, startMs);
    return {
      tableWrites: inAll.items,
      indexWrites: inAll.list + inAll.open,
      readUnits: table.units,
      sends: inAll.sends,
      messages: inAll.receives,
      schedules: scheduler.fired,
      requests,
    };
  } finally {
    await scheduler.stop();
    await journal.close();
    await meta.close();
    await removeDirectory(dir);
  }
}
