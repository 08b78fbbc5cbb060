/** The sweeper: walks the open index and the recent listing, and wakes invocations whose wakes were lost (I8). */
import { DAY_MS } from "../../core/model/time-units.ts";
import { walkOnce } from "./walk.ts";
import type { Engine } from "../engine.ts";
import { newestListedMs, oldestListedMs, START } from "../store/index-walk.ts";
import { placeAt, sweeperPk } from "../store/item-keys.ts";
import { readPartition } from "../store/read-partition.ts";
import type { Item } from "../ports/table.ts";
import { NO_GUARD, beginRecord } from "./guard.ts";
import { wakeOverdueSchedules } from "./overdue-schedules.ts";
import { sendAgain, slicesIn } from "./slices.ts";
import { newDue, newEverything, everythingWalk } from "./walks.ts";
import { type SweepReport, begun, publishOpenCount, runPass } from "./pass.ts";
import {
  atFirst,
  hasProgress,
  type OrderedWalks,
  orderWalks,
  type Progress,
  readListed,
  readOrdered,
  type Saved,
  savedIn,
  writeOrdered,
  writeProgress,
} from "./progress.ts";
import { Counts } from "./counts.ts";

const PAUSE_MAX_MS = 60_000;
/**
 * Without saved progress, the search for the oldest entry ends after this many days without an acceptance, as in lists of
 * invocations.
 */
const EMPTY_DAYS_MAX = 31;

/**
 * Runs one pass to its end.
 * @param listedFromMs the start of the walk over the listing: no pass has looked at entries accepted at this moment or later
 * @param walk `due` walks only the due part of the open index; `everything` also finds expired leases and entries to be
 *   extended
 * @param walkedAtMs when the previous walk over `everything` began. The new walk reads the arrivals of an entry if the age of the
 *   entry has doubled since that moment (`hasAged`); by default it reads no arrivals
 */
export async function sweep(
  engine: Engine,
  listedFromMs: number,
  walk: "due" | "everything" = "everything",
  walkedAtMs = Infinity,
): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  const progress: Progress = {
    listedFrom: placeAt(listedFromMs),
    again: [],
    walkedAtMs,
    walkTookMs: 0,
    due: newDue(nowMs),
    ...(walk === "everything" && { walk: newEverything(nowMs) }),
  };
  return await runPass(engine, { progress, ordered: undefined }, { nowMs, untilMs: Infinity, save: async () => {} });
}

/**
 * Stores where the walk over the listing begins, unless an earlier process has done so. A sole owner calls it before it accepts
 * anything. Otherwise its first process may end before the first pass, and if the machine is then off for longer than a month, the next
 * process does not find what was accepted.
 */
export async function noteListing(engine: Engine): Promise<void> {
  if ((await readListed(engine)) === undefined) await writeProgress(engine, (await resumed(engine)).progress);
}

/** Runs passes, each to its end, until the signal aborts. */
export async function runSweeper(engine: Engine, signal: AbortSignal, intervalMs = PAUSE_MAX_MS): Promise<void> {
  let saved: Saved | undefined;
  const write = writer(engine);
  const save = async (now: Saved): Promise<void> => {
    saved = now;
    await write(now);
  };
  const passed = async (pass: () => Promise<unknown>): Promise<void> => {
    try {
      await pass();
    } catch (error) {
      engine.log.write("sweeper.pass-failed", { error: String(error) });
    }
  };
  await passed(async () => await save(await resumed(engine)));
  while (await engine.clock.sleep(intervalMs, signal))
    await passed(async () => {
      saved ??= await resumed(engine);
      const nowMs = engine.clock.nowMs();
      const progress = begun(saved.progress, nowMs);
      // A process that an operator has given the order to may have left a part of it.
      const ordered = await readOrdered(engine);
      await runPass(engine, { progress, ordered }, { nowMs, untilMs: Infinity, save });
    });
}

/** Writes the progress, and the order if it has changed. The entries to be looked at again are written with their places. */
function writer(engine: Engine, atFirst?: OrderedWalks): (now: Saved) => Promise<void> {
  let written = atFirst;
  return async ({ progress, ordered }) => {
    await writeProgress(engine, progress);
    if (ordered === undefined || ordered === written) return;
    await writeOrdered(engine, ordered);
    written = ordered;
  };
}

/**
 * The walk over the listing goes on where the previous process stopped. Without saved progress it begins with the oldest
 * entry, because a list of invocations takes an entry of the listing for completed if the entry is before the saved place and
 * not in the open index. So the saved place must never be after an entry that no walk has passed. The walk over the open index
 * starts over, and the process deletes no expired item before this walk has extended the open invocations.
 */
async function resumed(engine: Engine): Promise<Saved> {
  const known = await readListed(engine);
  const listed = known ?? { listedFrom: placeAt(await oldestListedMs(engine, engine.clock.nowMs(), EMPTY_DAYS_MAX)) };
  return { progress: { ...atFirst(engine), ...listed }, ordered: undefined };
}

/**
 * Runs one pass in a process without memory of earlier passes, so the pass reads the progress from the table.
 * @param untilMs when the pass ends; the next one continues with the rest
 */
export async function sweepOnce(engine: Engine, untilMs = Infinity): Promise<SweepReport> {
  const items = await remembered(engine);
  return await passFrom(engine, items, savedIn(engine, items), untilMs);
}

/**
 * For a restored table whose queues and schedules are empty: orders a look at every open invocation and at the whole listing.
 * The passes that follow find invocations when they become due, and continue with the part of the order that is left at
 * `untilMs`.
 */
export async function sweepAll(engine: Engine, untilMs = Infinity): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  const oldestMs = await oldestListedMs(engine, nowMs);
  const ordered = { beganMs: nowMs, openFrom: START, listedFrom: placeAt(oldestMs) };
  await orderWalks(engine, ordered);
  const items = await remembered(engine);
  return await passFrom(engine, items, { progress: savedIn(engine, items).progress, ordered }, untilMs);
}

async function remembered({ table, settings }: Engine): Promise<readonly Item[]> {
  return await readPartition(table, sweeperPk(settings.keyPrefix), {});
}

async function passFrom(
  engine: Engine,
  items: readonly Item[],
  { progress, ordered }: Saved,
  untilMs: number,
): Promise<SweepReport> {
  const save = writer(engine, ordered);
  await wakeOverdueSchedules(engine, items);
  const record = await beginRecord(engine, items);
  // The very first pass computes its start in the listing from the clock. If its process dies, the next pass must not compute
  // a later one.
  if (!hasProgress(items)) await writeProgress(engine, progress);
  const nowMs = engine.clock.nowMs();
  const slices = slicesIn(items);
  await sendAgain(engine, slices, nowMs);
  const underWay = new Set(slices.map(({ walk }) => walk.name));
  const saved = { progress: begun(progress, nowMs, underWay), ordered };
  try {
    return await runPass(engine, saved, { nowMs, untilMs, save, guard: record.guard, slices });
  } finally {
    // Removed after an error, too: only the death of the process may leave the record.
    await record.end();
  }
}

/**
 * Runs at the start of a sole owner: wakes the invocations that the previous process drove, even if their leases have not
 * expired.
 * @returns how many invocations it has woken
 */
export async function recover(engine: Engine): Promise<number> {
  const nowMs = engine.clock.nowMs();
  const pass = { engine, nowMs, counts: new Counts(), guard: NO_GUARD, listedBelow: placeAt(nowMs + DAY_MS) };
  const { progress: known } = await resumed(engine);
  const progress: Progress = { ...begun(known, nowMs), walkedAtMs: nowMs };
  const walked = await everythingWalk.goOn({ progress, ordered: undefined }, pass, () => false);
  publishOpenCount(pass, walked, []);
  // If a driver neither parked its invocation nor renewed the lease, only the listing contains the invocation. Such an entry
  // is older than the newest entry, but by at most about the length of one lease.
  const newestMs = await newestListedMs(engine, nowMs);
  if (newestMs === undefined) return recovered(engine, pass.counts);
  const listedFrom = placeAt(newestMs - 2 * engine.settings.leaseMs);
  // The queue of a sole owner is as durable as its table, so no invocation needs a note in the open index. A failed look is not
  // repeated here: the walk of `runSweeper` comes to the entry when it is old enough, or has noted the invocation before.
  await walkOnce(
    pass,
    { name: "ordered-listing", beganMs: nowMs },
    { from: listedFrom, below: pass.listedBelow },
    [],
    () => false,
  );
  return recovered(engine, pass.counts);
}

function recovered({ activeInvocations }: Engine, { woken }: Counts): number {
  activeInvocations.suspects?.recovered();
  return woken;
}
