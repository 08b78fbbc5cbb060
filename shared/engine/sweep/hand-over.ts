/** Hands the rest of a walk over to workers as slices; the item of each slice is written before its message is sent (I8). */
import { DAY_MS } from "../../core/model/time-units.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { Shards, Stretch } from "../store/index-walk.ts";
import { INDEX_SHARDS_MAX, momentOf, placeAt, shardsOf } from "../store/item-keys.ts";
import { newSlice, type Slice, sliceItem, sliceKey } from "./slice.ts";
import type { Rest } from "./task.ts";

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
  { walk, stretch }: Rest,
  outstanding: number,
): Promise<readonly Slice[] | undefined> {
  const { slices: queue } = engine;
  const groups = shardGroups(engine);
  const room = Math.floor((SLICES_MAX - outstanding) / groups.length);
  if (queue === undefined || room < 1) return undefined;
  const cut = cutsOf(stretch, Math.min(room, CUTS_MAX)).flatMap((part) =>
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

function cutsOf({ from = "", below }: Stretch, cutsMax: number): readonly { from: string; below?: string }[] {
  if (below === undefined) return [{ from }];
  const belowMs = momentOf(below);
  // A walk from the start of the index has most of its entries near its end.
  const fromMs = Math.max(momentOf(from.padEnd(15, "0")), belowMs - CUT_SPAN_MAX_MS);
  const cuts = Math.max(1, Math.min(cutsMax, Math.floor((belowMs - fromMs) / CUT_MIN_MS)));
  const at = (cut: number) => placeAt(fromMs + Math.floor(((belowMs - fromMs) * cut) / cuts));
  return Array.from({ length: cuts }, (_, cut) => ({
    from: cut === 0 ? from : at(cut),
    below: cut === cuts - 1 ? below : at(cut + 1),
  }));
}
