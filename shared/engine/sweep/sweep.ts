/** The sweeper: the one that loses nothing. It walks the open index and the recent listing, and wakes what nobody woke (I8). */
import { lookAtListing, lookAtOpen, wakeDriverless, wakeLeft } from "./driverless.ts";
import { LISTING_AGE_MIN_MS } from "../engine-settings.ts";
import type { Engine } from "../engine.ts";
import { newestListedMs, oldestListedMs } from "../ledger/index-walk.ts";
import { sweeperPk } from "../ledger/item-keys.ts";
import type { Item } from "../ports/table.ts";

const DAY_MS = 86_400_000;
/** A sweeper that begins looks back for some times as long as what it looks at is old at least. */
const LISTING_AGE_MAX_SHARE = 4;
const PAUSE_MAX_MS = 60_000;
/** Passes between look only at what is due by its place in the open index. */
const EVERYTHING_EVERY_MS = 600_000;

export interface SweepReport {
  readonly woken: number;
  readonly extended: number;
}

/** How far the sweeper has come. */
interface Progress {
  /** Entries of the listing accepted since then were not looked at yet. */
  readonly listedFromMs: number;
  /** When the last walk over everything that is open began. */
  readonly walkedAtMs: number;
}

/**
 * One pass.
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
  const { woken, extended } = await lookAtOpen(engine, nowMs, walk, walkedAtMs);
  const found = await lookAtListing(engine, listedFromMs, nowMs - listingAgeMinMs(engine), wakeDriverless);
  const report = { woken: woken + found, extended };
  if (report.woken + extended > 0) engine.log.info("the sweeper woke what nobody woke", { ...report });
  return report;
}

/**
 * For a table that was restored while queues and schedules are empty: everything that is open, and the whole listing,
 * as far back as it goes. What will be due later is found then by the passes that follow.
 */
export async function sweepAll(engine: Engine): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  const { woken, extended } = await lookAtOpen(engine, nowMs, "everything", -Infinity, Infinity);
  const fromMs = await oldestListedMs(engine, nowMs);
  const found = await lookAtListing(engine, fromMs, nowMs + DAY_MS, wakeLeft);
  const report = { woken: woken + found, extended };
  engine.log.info("the sweeper looked at everything there is", { ...report });
  return report;
}

/** Runs passes until the signal aborts. */
export async function runSweeper(engine: Engine, signal: AbortSignal, intervalMs = PAUSE_MAX_MS): Promise<void> {
  let progress = atFirst(engine);
  while (await engine.clock.sleep(intervalMs, signal)) {
    try {
      progress = (await sweepOn(engine, progress)).progress;
    } catch (error) {
      engine.log.error("a pass of the sweeper failed", { error: String(error) });
    }
  }
}

/** One pass of a process that remembers nothing: how far the pass before it came stands in the table. */
export async function sweepOnce(engine: Engine): Promise<SweepReport> {
  const cursor = { pk: sweeperPk(engine.settings.keyPrefix), sk: "listed" };
  const { fromMs, walkedAtMs }: Partial<Item> = (await engine.table.get(cursor)) ?? {};
  const first = atFirst(engine);
  const { report, progress } = await sweepOn(engine, {
    listedFromMs: typeof fromMs === "number" ? fromMs : first.listedFromMs,
    walkedAtMs: typeof walkedAtMs === "number" ? walkedAtMs : first.walkedAtMs,
  });
  await engine.table.put({ ...cursor, fromMs: progress.listedFromMs, walkedAtMs: progress.walkedAtMs });
  return report;
}

function atFirst(engine: Engine): Progress {
  return {
    listedFromMs: engine.clock.nowMs() - LISTING_AGE_MAX_SHARE * listingAgeMinMs(engine),
    walkedAtMs: -Infinity,
  };
}

async function sweepOn(engine: Engine, { listedFromMs, walkedAtMs }: Progress) {
  const nowMs = engine.clock.nowMs();
  const isEverything = nowMs - walkedAtMs >= EVERYTHING_EVERY_MS;
  const report = await sweep(engine, listedFromMs, isEverything ? "everything" : "due", walkedAtMs);
  const progress: Progress = {
    listedFromMs: nowMs - listingAgeMinMs(engine),
    walkedAtMs: isEverything ? nowMs : walkedAtMs,
  };
  return { report, progress };
}

function listingAgeMinMs({ settings }: Engine): number {
  return settings.listingAgeMinMs ?? LISTING_AGE_MIN_MS;
}

/**
 * At the start of a process that owns the store alone: whatever its predecessor was driving is driven again at once,
 * not when a lease is over that nobody holds any more.
 */
export async function recover(engine: Engine): Promise<number> {
  const nowMs = engine.clock.nowMs();
  const { woken } = await lookAtOpen(engine, nowMs, "everything", nowMs);
  // Drives that never parked nor renewed are in the listing alone, and no older than a lease before the last of it.
  const newestMs = await newestListedMs(engine, nowMs);
  if (newestMs === undefined) return woken;
  return woken + (await lookAtListing(engine, newestMs - 2 * engine.settings.leaseMs, nowMs + DAY_MS, wakeDriverless));
}
