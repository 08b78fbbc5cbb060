/** The sweeper: the one that loses nothing. It walks the open index and the recent listing, and wakes what nobody woke (I8). */
import type { InvocationId } from "../core/model/ids.ts";
import type { Engine } from "./engine.ts";
import { extendOpen } from "./extend.ts";
import { INDEX_SHARDS, listingPk, momentRange, openPk, sweeperPk } from "./item-keys.ts";
import { EXTEND_BELOW_S } from "./keep.ts";
import { hasExpired, isHeld, load, type Loaded } from "./load.ts";
import type { IndexName, Item, Range } from "./ports/table.ts";
import { sendWake } from "./wake.ts";

const DAY_MS = 86_400_000;
/** Old enough that its own message must have come; a sweeper that begins looks back for some times as long. */
const LISTING_AGE_MIN_MS = 300_000;
const LISTING_AGE_MAX_SHARE = 4;
const PAUSE_MAX_MS = 60_000;

export interface SweepReport {
  readonly woken: number;
  readonly extended: number;
}

/** One pass. @param listedFromMs entries of the listing accepted since then were not looked at by an earlier pass */
export async function sweep(engine: Engine, listedFromMs: number): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  let woken = 0;
  let extended = 0;
  for await (const item of openItems(engine, 0, Infinity)) {
    // Who drives keeps the entry where it stood, so that the end of a lease is known to the hold alone.
    const due = item["status"] === "running" || Number(item["lookAtMs"]) <= nowMs;
    const isOld = Number(item["keepUntilS"]) - nowMs / 1000 < EXTEND_BELOW_S;
    if (due && (await spared(engine, item, (id) => wakeOpen(engine, id, nowMs)))) woken++;
    if (isOld && (await spared(engine, item, (id) => extendOpen(engine, id)))) extended++;
  }
  for await (const item of listedItems(engine, listedFromMs, nowMs - listingAgeMinMs(engine))) {
    if (await spared(engine, item, (id) => wakeDriverless(engine, id, nowMs))) woken++;
  }
  if (woken + extended > 0) engine.log.info("the sweeper woke what nobody woke", { woken, extended });
  return { woken, extended };
}

/** Runs passes until the signal aborts. */
export async function runSweeper(engine: Engine, signal: AbortSignal, intervalMs = PAUSE_MAX_MS): Promise<void> {
  let listedFromMs = engine.clock.nowMs() - LISTING_AGE_MAX_SHARE * listingAgeMinMs(engine);
  while (await engine.clock.sleep(intervalMs, signal)) {
    const nowMs = engine.clock.nowMs();
    try {
      await sweep(engine, listedFromMs);
      listedFromMs = nowMs - listingAgeMinMs(engine);
    } catch (error) {
      engine.log.error("a pass of the sweeper failed", { error: String(error) });
    }
  }
}

/** One pass of a process that remembers nothing: how far the pass before it came stands in the table. */
export async function sweepOnce(engine: Engine): Promise<SweepReport> {
  const nowMs = engine.clock.nowMs();
  const ageMinMs = listingAgeMinMs(engine);
  const cursor = { pk: sweeperPk(engine.settings.keyPrefix), sk: "listed" };
  const standing = (await engine.table.get(cursor))?.["fromMs"];
  const report = await sweep(
    engine,
    typeof standing === "number" ? standing : nowMs - LISTING_AGE_MAX_SHARE * ageMinMs,
  );
  await engine.table.put({ ...cursor, fromMs: nowMs - ageMinMs });
  return report;
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
  let woken = 0;
  for await (const item of openItems(engine, 0, Infinity)) {
    const wasHeld = item["status"] === "running";
    const due = wasHeld || Number(item["lookAtMs"]) <= nowMs;
    if (due && (await spared(engine, item, (id) => wakeOpen(engine, id, nowMs)))) woken++;
  }
  // Drives that never parked nor renewed are in the listing alone, and no older than a lease before the last of it.
  const newestMs = await newestListed(engine, nowMs);
  if (newestMs === undefined) return woken;
  for await (const item of listedItems(engine, newestMs - 2 * engine.settings.leaseMs, nowMs + DAY_MS)) {
    if (await spared(engine, item, (id) => wakeDriverless(engine, id, nowMs))) woken++;
  }
  return woken;
}

/** One invocation that cannot be read must not keep the sweeper from all others. */
async function spared(engine: Engine, item: Item, look: (id: InvocationId) => Promise<boolean>): Promise<boolean> {
  const invocationId = idOf(item);
  try {
    return await look(invocationId);
  } catch (error) {
    engine.log.error("the sweeper could not look at an invocation", { invocationId, error: String(error) });
    return false;
  }
}

async function wakeOpen(engine: Engine, id: InvocationId, nowMs: number): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined || isHeld(engine, loaded, nowMs)) return false;
  await sendWake(engine, id, 0);
  return true;
}

/** Finds what was accepted and then left: not ended, not parked, held by nobody. */
async function wakeDriverless(engine: Engine, id: InvocationId, nowMs: number): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined || hasExpired(loaded, nowMs)) return false;
  if (loaded.invocation.standing.status === "completed" || isHeld(engine, loaded, nowMs) || isParked(loaded))
    return false;
  await sendWake(engine, id, 0);
  return true;
}

/** A park stands in the open index, under the moment at which it is to be looked at. */
function isParked({ hold, invocation }: Loaded): boolean {
  return hold !== undefined && hold.untilMs === 0 && hold.base >= invocation.segmentIndex;
}

async function* openItems(engine: Engine, fromMs: number, belowMs: number): AsyncGenerator<Item> {
  for (let shard = 0; shard < INDEX_SHARDS; shard++) {
    const range = Number.isFinite(belowMs) ? momentRange(fromMs, belowMs) : {};
    yield* indexItems(engine, "open", openPk(engine.settings.keyPrefix, shard), range);
  }
}

async function* listedItems(engine: Engine, fromMs: number, belowMs: number): AsyncGenerator<Item> {
  for (let dayMs = fromMs - (fromMs % DAY_MS); dayMs < belowMs; dayMs += DAY_MS) {
    for (let shard = 0; shard < INDEX_SHARDS; shard++) {
      yield* indexItems(
        engine,
        "list",
        listingPk(engine.settings.keyPrefix, dayMs, shard),
        momentRange(fromMs, belowMs),
      );
    }
  }
}

async function newestListed(engine: Engine, nowMs: number): Promise<number | undefined> {
  let newestMs: number | undefined;
  for (const dayMs of [nowMs, nowMs - DAY_MS]) {
    for (let shard = 0; shard < INDEX_SHARDS; shard++) {
      const pk = listingPk(engine.settings.keyPrefix, dayMs, shard);
      const { items } = await engine.table.queryIndex("list", pk, { reverse: true, limit: 1 });
      const atMs = items[0] && Number(String(items[0]["listSk"]).slice(0, 15));
      if (atMs !== undefined) newestMs = Math.max(newestMs ?? 0, atMs);
    }
  }
  return newestMs;
}

async function* indexItems(engine: Engine, index: IndexName, pk: string, range: Range): AsyncGenerator<Item> {
  for (let after: string | undefined; ;) {
    const page = await engine.table.queryIndex(index, pk, {
      ...range,
      limit: 100,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

function idOf({ pk }: Item): InvocationId {
  return pk.slice(pk.lastIndexOf("inv#") + 4) as InvocationId;
}
