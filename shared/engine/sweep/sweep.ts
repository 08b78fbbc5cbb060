/** The sweeper: the one that loses nothing. It walks the open index and the recent listing, and wakes what nobody woke (I8). */
import { wakeDriverless } from "./driverless.ts";
import type { Engine } from "../engine.ts";
import { newestListedMs, oldestListedMs, START } from "../ledger/index-walk.ts";
import { placeAt, sweeperPk } from "../ledger/item-keys.ts";
import { readPartition } from "../ledger/read-partition.ts";
import type { Item } from "../ports/table.ts";
import { NO_GUARD } from "./guard.ts";
import { sendAgain } from "./hand-over.ts";
import { walkListing } from "./listing-tasks.ts";
import { dueRound, everythingRound, everythingTask } from "./open-tasks.ts";
import { beginRecord } from "./pass-record.ts";
import { begun, runPass, type SweepReport } from "./pass.ts";
import {
  atFirst,
  hasProgress,
  type Order,
  placeOrder,
  type Progress,
  readListed,
  type Saved,
  savedIn,
  writeOrder,
  writeProgress,
} from "./progress.ts";
import { slicesIn } from "./slice.ts";
import { Tally } from "./tally.ts";

const DAY_MS = 86_400_000;
const PAUSE_MAX_MS = 60_000;
/** A new directory has no listing, and lists themselves end at as many days without an acceptance. */
const EMPTY_DAYS_MAX = 31;

/**
 * One pass, to its end.
 * @param listedFromMs entries of the listing accepted since then were not looked at by an earlier pass
 * @param walk `due`: only what is to be looked at by its place in the open index; who drives, and what is to be extended,
 *   is found by a walk over `everything`
 * @param walkedAtMs when that walk was before: arrivals are read for those whose age has doubled since; for none, unless told
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
    due: dueRound(nowMs),
    ...(walk === "everything" && { walk: everythingRound(nowMs) }),
  };
  return await runPass(engine, { progress, order: undefined }, { nowMs, untilMs: Infinity, save: async () => {} });
}

/** Runs passes until the signal aborts, each to its end. */
export async function runSweeper(engine: Engine, signal: AbortSignal, intervalMs = PAUSE_MAX_MS): Promise<void> {
  let saved: Saved | undefined;
  const save = async (now: Saved): Promise<void> => {
    saved = now;
    await writeProgress(engine, now.progress);
  };
  const passed = async (pass: () => Promise<unknown>): Promise<void> => {
    try {
      await pass();
    } catch (error) {
      engine.log.error("a pass of the sweeper failed", { error: String(error) });
    }
  };
  await passed(async () => await save(await resumed(engine)));
  while (await engine.clock.sleep(intervalMs, signal))
    await passed(async () => {
      saved ??= await resumed(engine);
      const nowMs = engine.clock.nowMs();
      const progress = begun(saved.progress, nowMs);
      await runPass(engine, { ...saved, progress }, { nowMs, untilMs: Infinity, save });
    });
}

/**
 * The listing goes on where the process before left it, and in a new directory from its beginning: lists take what is older
 * than this progress, and does not stand in the open index, for completed. The walk over the open index begins anew,
 * because nothing that had expired may be deleted before this process has extended what is open.
 */
async function resumed(engine: Engine): Promise<Saved> {
  const known = await readListed(engine);
  const listed = known ?? { listedFrom: placeAt(await oldestListedMs(engine, engine.clock.nowMs(), EMPTY_DAYS_MAX)) };
  return { progress: { ...atFirst(engine), ...listed }, order: undefined };
}

/**
 * One pass of a process that remembers nothing: how far the passes before it came stands in the table.
 * @param untilMs what is left by then is gone on with by the next pass
 */
export async function sweepOnce(engine: Engine, untilMs = Infinity): Promise<SweepReport> {
  const items = await remembered(engine);
  return await passFrom(engine, items, savedIn(engine, items), untilMs);
}

/**
 * For a table that was restored while queues and schedules are empty: everything that is open, and the whole listing,
 * as far back as it goes. What will be due later is found then by the passes that follow, which also go on with what is
 * left by `untilMs`.
 */
export async function sweepAll(engine: Engine, untilMs = Infinity): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  const oldestMs = await oldestListedMs(engine, nowMs);
  const order = { beganMs: nowMs, openFrom: START, listedFrom: placeAt(oldestMs) };
  await placeOrder(engine, order);
  const items = await remembered(engine);
  return await passFrom(engine, items, { progress: savedIn(engine, items).progress, order }, untilMs);
}

async function remembered({ table, settings }: Engine): Promise<readonly Item[]> {
  return await readPartition(table, sweeperPk(settings.keyPrefix), {});
}

async function passFrom(
  engine: Engine,
  items: readonly Item[],
  { progress, order }: Saved,
  untilMs: number,
): Promise<SweepReport> {
  let orderBefore: Order | undefined = order;
  const save = async (now: Saved): Promise<void> => {
    await writeProgress(engine, now.progress);
    if (now.order === undefined || now.order === orderBefore) return;
    await writeOrder(engine, now.order);
    orderBefore = now.order;
  };
  const record = await beginRecord(engine, items);
  // The first pass of all looks back from its own moment: should it die, the next must not look back from a later one.
  if (!hasProgress(items)) await writeProgress(engine, progress);
  const nowMs = engine.clock.nowMs();
  const slices = slicesIn(items);
  await sendAgain(engine, slices, nowMs);
  const underWay = new Set(slices.map(({ walk }) => walk.name));
  const saved = { progress: begun(progress, nowMs, underWay), order };
  try {
    return await runPass(engine, saved, { nowMs, untilMs, save, guard: record.guard, slices });
  } finally {
    // An error is no death: the record stands only where the process did not come to this line.
    await record.end();
  }
}

/**
 * At the start of a process that owns the store alone: whatever its predecessor was driving is driven again at once,
 * not when a lease is over that nobody holds any more.
 */
export async function recover(engine: Engine): Promise<number> {
  const nowMs = engine.clock.nowMs();
  const pass = { engine, nowMs, tally: new Tally(), guard: NO_GUARD, listedBelow: placeAt(nowMs + DAY_MS) };
  const progress: Progress = { ...begun(atFirst(engine), nowMs), walkedAtMs: nowMs };
  await everythingTask.goOn({ progress, order: undefined }, pass, () => false);
  // Drives that never parked nor renewed are in the listing alone, and no older than a lease before the last of it.
  const newestMs = await newestListedMs(engine, nowMs);
  if (newestMs === undefined) return pass.tally.woken;
  const listedFrom = placeAt(newestMs - 2 * engine.settings.leaseMs);
  // The queue of such a process is as durable as its table: nobody has to be noted here.
  await walkListing({ ...progress, listedFrom }, pass, () => false, wakeDriverless);
  return pass.tally.woken;
}
