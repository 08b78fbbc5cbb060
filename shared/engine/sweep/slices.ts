/** Slices: the rest of a walk, cut into parts that workers do. The item of a slice is written before its message is sent (I8). */
import type { Engine } from "../engine.ts";
import { type IndexPosition, type Shards, type IndexRange, behind } from "../store/index-walk.ts";
import { INDEX_SHARDS_MAX, momentOfPlace, placeAt, shardsOf, sweeperPk } from "../store/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";
import { type Remaining, type Walk, type WalkName, walkPart } from "./walk.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { type Guard, deadlyLooks, guardOver, learnDeadly } from "./guard.ts";
import { TRIES_MAX } from "./walks.ts";
import { Counts } from "./counts.ts";
import { abandon } from "./listing-looks.ts";

export interface Slice {
  /** The unique name of the slice. */
  readonly name: string;
  readonly walk: Walk;
  readonly from: IndexPosition;
  readonly below?: IndexPosition;
  readonly shards: Shards;
  /** The number of failed looks at its only entry; 0 for a slice of many entries. */
  readonly tries: number;
  /** The token of the worker that has claimed the slice, and the end of its lease. The token of a dead worker stays. */
  readonly token?: string;
  readonly untilMs: number;
  /** The moment when the message of the slice was last sent. */
  readonly sentAtMs: number;
}

const SLICE = "slice#";

export function sliceKey(engine: Engine, name: string): Key {
  return { pk: sweeperPk(engine.settings.keyPrefix), sk: `${SLICE}${name}` };
}

/** The name follows from the walk and the part, so that all processes give the same slice the same name. */
export function newSlice(
  walk: Walk,
  part: Pick<Slice, "from" | "below" | "shards">,
  { sentAtMs, tries = 0 }: { readonly sentAtMs: number; readonly tries?: number },
): Slice {
  const shards = `${part.shards[0]}-${part.shards.at(-1)}`;
  const name = `${walk.name}#${walk.beganMs}#${shards}#${part.from}`;
  return { name, walk, ...part, tries, untilMs: 0, sentAtMs };
}

export function sliceItem(engine: Engine, { name, walk, from, below, shards, tries, sentAtMs }: Slice): Item {
  return {
    ...sliceKey(engine, name),
    walk: walk.name,
    beganMs: walk.beganMs,
    ...(walk.sinceMs !== undefined && Number.isFinite(walk.sinceMs) && { sinceMs: walk.sinceMs }),
    from,
    ...(below !== undefined && { below }),
    shards: shards.join(","),
    tries,
    untilMs: 0,
    sentAtMs,
  };
}

export function readSlice(item: Item): Slice {
  const { sinceMs, below, token } = item;
  return {
    name: item.sk.slice(SLICE.length),
    walk: {
      name: String(item["walk"]) as WalkName,
      beganMs: Number(item["beganMs"]),
      // `sliceItem` leaves out -Infinity, which means that there was no earlier `everything` walk. `hasAged` is then true for
      // every entry.
      sinceMs: typeof sinceMs === "number" ? sinceMs : -Infinity,
    },
    from: String(item["from"]),
    ...(typeof below === "string" && { below }),
    shards: String(item["shards"]).split(",").map(Number),
    tries: Number(item["tries"] ?? 0),
    ...(typeof token === "string" && { token }),
    untilMs: Number(item["untilMs"] ?? 0),
    sentAtMs: Number(item["sentAtMs"] ?? 0),
  };
}

/** @param items the items of the sweeper's partition @returns the slices that are not done */
export function slicesIn(items: readonly Item[]): readonly Slice[] {
  return items.filter(({ sk }) => sk.startsWith(SLICE)).map(readSlice);
}

/** A pass that takes longer than this hands its work over. */
export const HAND_OVER_AFTER_MS = 20_000;
/** The most slices at a time; workers could not claim more of them soon. */
const SLICES_MAX = 256;
/** The most cuts by time, for a walk whose end is known. */
const CUTS_MAX = 16;
const CUT_MIN_MS = 30_000;
const CUT_SPAN_MAX_MS = DAY_MS;

/**
 * @param outstanding the number of slices that are not done yet
 * @returns the slices, written and sent; undefined if there are too many already, or if there is no queue of slices
 */
export async function handOver(
  engine: Engine,
  { walk, range }: Remaining,
  outstanding: number,
): Promise<readonly Slice[] | undefined> {
  const { slices: queue } = engine;
  const groups = shardGroups(engine);
  const room = Math.floor((SLICES_MAX - outstanding) / groups.length);
  if (queue === undefined || room < 1) return undefined;
  const cut = cutsOf(range, Math.min(room, CUTS_MAX)).flatMap((part) =>
    groups.map((shards) => newSlice(walk, { ...part, shards }, { sentAtMs: engine.clock.nowMs() })),
  );
  await atMost(AT_ONCE, cut, (slice) => engine.table.put(sliceItem(engine, slice), { kind: "absent" }));
  await atMost(AT_ONCE, cut, ({ name }) => queue.send(name));
  return cut;
}

/**
 * The shortest time between two messages of one slice, so that they do not pile up while workers are busy. It is slightly less
 * than the interval of passes.
 */
const SENT_AGAIN_AFTER_MS = 240_000;

/**
 * Sends the message of an unclaimed slice again if the last message is old enough, because that message may be lost, or the
 * worker that received it may have died.
 */
export async function sendAgain(engine: Engine, slices: readonly Slice[], nowMs: number): Promise<void> {
  const { slices: queue, table } = engine;
  if (queue === undefined) return;
  const idle = slices.filter(({ untilMs, sentAtMs }) => untilMs <= nowMs && nowMs - sentAtMs >= SENT_AGAIN_AFTER_MS);
  await atMost(AT_ONCE, idle, async ({ name, untilMs }) => {
    await queue.send(name);
    // A worker may have claimed or finished the slice since the pass read it.
    const unclaimed = { kind: "equal", attribute: "untilMs", value: untilMs } as const;
    await table.update(sliceKey(engine, name), { set: { sentAtMs: nowMs } }, unclaimed);
  });
}

/** One group for each shard in use, and one for all shards that an earlier setting may have used. */
function shardGroups({ settings }: Engine): readonly Shards[] {
  const used = shardsOf(settings);
  const others = Array.from({ length: INDEX_SHARDS_MAX - used.length }, (_, at) => used.length + at);
  return [...used.map((shard) => [shard]), ...(others.length > 0 ? [others] : [])];
}

function cutsOf({ from = "", below }: IndexRange, cutsMax: number): readonly { from: string; below?: string }[] {
  if (below === undefined) return [{ from }];
  const belowMs = momentOfPlace(below);
  // A walk from the start of the index has most of its entries near its end.
  const fromMs = Math.max(momentOfPlace(from.padEnd(15, "0")), belowMs - CUT_SPAN_MAX_MS);
  const cuts = Math.max(1, Math.min(cutsMax, Math.floor((belowMs - fromMs) / CUT_MIN_MS)));
  const at = (cut: number) => placeAt(fromMs + Math.floor(((belowMs - fromMs) * cut) / cuts));
  return Array.from({ length: cuts }, (_, cut) => ({
    from: cut === 0 ? from : at(cut),
    below: cut === cuts - 1 ? below : at(cut + 1),
  }));
}

/** The longest run of a slice, because other slices and messages wait for the same worker. */
const RUN_MS = 45_000;
/** The interval at which the worker writes the progress of the slice and renews its lease. */
const SAVE_EVERY_MS = 5_000;
/** Longer than a run: a lease that expires shows that its worker has died. */
const LEASE_MS = 90_000;

/**
 * Runs a slice in a worker, for a bounded time. Does nothing if another worker has the lease of the slice, or if the slice is done. If the run does not finish the slice, it
 * sends the message of the slice again.
 * @returns true, because the message of the slice may be deleted
 */
export async function runSlice(engine: Engine, name: string): Promise<boolean> {
  const claimed = await claim(engine, name);
  if (claimed === undefined) return true;
  const { slice, guard, token } = claimed;
  const counts = new Counts();
  const failed: IndexPosition[] = [];
  const untilMs = engine.clock.nowMs() + RUN_MS;
  let from: IndexPosition | undefined = slice.from;
  try {
    while (from !== undefined && !isOver(engine, untilMs)) {
      const savesAtMs = Math.min(untilMs, engine.clock.nowMs() + SAVE_EVERY_MS);
      const part = { from, shards: slice.shards, ...(slice.below !== undefined && { below: slice.below }) };
      const isTurnOver = () => isOver(engine, savesAtMs);
      from = await walkPart({ engine, counts, guard }, slice.walk, part, isTurnOver, (place) => failed.push(place));
      // An entry whose look failed becomes a separate slice before the progress passes the entry.
      for (const place of failed.splice(0)) await remember(engine, slice, place);
      if (from !== undefined) await save(engine, slice, token, from);
    }
  } finally {
    await release(engine, slice, token, from);
    const { woken, extended, postponed } = counts;
    engine.log.write("sweeper.slice-done", { walk: slice.walk.name, woken, extended, postponed });
  }
  if (from !== undefined) await engine.slices?.send(name);
  return true;
}

function isOver({ activeInvocations, clock }: Engine, untilMs: number): boolean {
  return activeInvocations.stopping || clock.nowMs() >= untilMs;
}

async function claim(engine: Engine, name: string) {
  const nowMs = engine.clock.nowMs();
  const { items } = await engine.table.query(sweeperPk(engine.settings.keyPrefix), {
    from: "deadly#",
    below: "deadly$",
  });
  const item = await engine.table.get(sliceKey(engine, name));
  if (item === undefined) return undefined;
  const slice = readSlice(item);
  if (slice.untilMs > nowMs) return undefined;
  const token = engine.activeInvocations.newToken();
  const unchanged = { kind: "equal", attribute: "untilMs", value: slice.untilMs } as const;
  const set = { token, untilMs: nowMs + LEASE_MS };
  const outcome = await engine.table.update(sliceKey(engine, name), { set, remove: ["trying"] }, unchanged);
  // If this claim took effect and its answer was lost, the claim was sent again and refused; the stored token is then ours.
  if (!outcome.written && outcome.existing?.["token"] !== token) return undefined;
  const deadly = await learnDeadly(engine, item, deadlyLooks(items, nowMs));
  const isCautious = slice.token !== undefined;
  const guard: Guard = guardOver(engine, sliceKey(engine, name), { token, deadly, isCautious });
  return { slice, guard, token };
}

async function save(engine: Engine, { name }: Slice, token: string, from: IndexPosition): Promise<void> {
  const mine = { kind: "equal", attribute: "token", value: token } as const;
  const set = { from, untilMs: engine.clock.nowMs() + LEASE_MS };
  await engine.table.update(sliceKey(engine, name), { set }, mine);
}

/** @param from where the next worker continues; undefined if the slice is done */
async function release(engine: Engine, slice: Slice, token: string, from: IndexPosition | undefined): Promise<void> {
  const mine = { kind: "equal", attribute: "token", value: token } as const;
  const key = sliceKey(engine, slice.name);
  if (from === undefined) await engine.table.delete(key, mine);
  else await engine.table.update(key, { set: { from, untilMs: 0 }, remove: ["token", "trying"] }, mine);
}

/**
 * Stores a slice that contains only the entry whose look failed, because no later walk comes to the entry. A later pass sends
 * the message of the new slice.
 */
async function remember(engine: Engine, slice: Slice, place: IndexPosition): Promise<void> {
  let tries = slice.tries + 1;
  if (tries >= TRIES_MAX) {
    if (await isGivenUp(engine, slice.walk, place, tries)) return;
    tries = slice.tries;
  }
  const below = behind(place);
  const one = newSlice(
    { ...slice.walk, beganMs: slice.walk.beganMs + 1 },
    { from: place, below, shards: slice.shards },
    { sentAtMs: 0, tries },
  );
  const item: Item = sliceItem(engine, one);
  await engine.table.put(item);
}

/** An entry of the open index stays there, where the other walks find it. */
async function isGivenUp(engine: Engine, { name }: Walk, place: IndexPosition, tries: number): Promise<boolean> {
  if (name !== "ordered-open") return await abandon(engine, place, tries);
  engine.log.write("sweeper.entry-abandoned", { place, tries });
  return true;
}
