/** Handing the rest of a walk over to workers: slices are written down first, and their messages are hints (I8). */
import { AT_ONCE, atMost } from "../at-most.ts";
import type { Engine } from "../engine.ts";
import type { Shards, Stretch } from "../ledger/index-walk.ts";
import { INDEX_SHARDS_MAX, momentOf, placeAt, shardsOf } from "../ledger/item-keys.ts";
import { newSlice, type Slice, sliceItem } from "./slice.ts";
import type { Rest } from "./task.ts";

/** A pass that takes longer than this alone has more to do than one process follows. */
export const HAND_OVER_AFTER_MS = 20_000;
/** More would be in nobody's hands for long. */
const SLICES_MAX = 256;
/** Of a walk whose end is known, and is cut in time too. */
const CUTS_MAX = 16;
const CUT_MIN_MS = 30_000;
const CUT_SPAN_MAX_MS = 86_400_000;

/**
 * @param outstanding slices that are not done yet
 * @returns the slices, which are written and sent; undefined where there are too many already
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
    groups.map((shards) => newSlice(walk, { ...part, shards })),
  );
  await atMost(AT_ONCE, cut, (slice) => engine.table.put(sliceItem(engine, slice), { kind: "absent" }));
  await atMost(AT_ONCE, cut, ({ name }) => queue.send(name));
  return cut;
}

/** Messages of slices may be lost, and processes that had one may die. @returns how many were sent again */
export async function sendAgain(engine: Engine, slices: readonly Slice[], nowMs: number): Promise<number> {
  const { slices: queue } = engine;
  if (queue === undefined) return 0;
  const idle = slices.filter(({ untilMs }) => untilMs <= nowMs);
  await atMost(AT_ONCE, idle, ({ name }) => queue.send(name));
  return idle.length;
}

/** A slice for each shard that is written to, and one for all that may have been before. */
function shardGroups({ settings }: Engine): readonly Shards[] {
  const used = shardsOf(settings);
  const others = Array.from({ length: INDEX_SHARDS_MAX - used.length }, (_, at) => used.length + at);
  return [...used.map((shard) => [shard]), ...(others.length > 0 ? [others] : [])];
}

function cutsOf({ from = "", below }: Stretch, cutsMax: number): readonly { from: string; below?: string }[] {
  if (below === undefined) return [{ from }];
  const belowMs = momentOf(below);
  // Of a walk from the beginning on, most stands near its end.
  const fromMs = Math.max(momentOf(from.padEnd(15, "0")), belowMs - CUT_SPAN_MAX_MS);
  const cuts = Math.max(1, Math.min(cutsMax, Math.floor((belowMs - fromMs) / CUT_MIN_MS)));
  const at = (cut: number) => placeAt(fromMs + Math.floor(((belowMs - fromMs) * cut) / cuts));
  return Array.from({ length: cuts }, (_, cut) => ({
    from: cut === 0 ? from : at(cut),
    below: cut === cuts - 1 ? below : at(cut + 1),
  }));
}
