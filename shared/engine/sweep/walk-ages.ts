/** Measures how far each walk is behind, so that alarms fire well before an item can expire. */
import { momentOf } from "../store/item-keys.ts";
import type { Saved } from "./progress.ts";
import type { Slice } from "./slice.ts";
import type { Pass } from "./task.ts";
import type { WalkName } from "./walks.ts";

/**
 * Writes as metrics how far each walk is behind. The parts that this pass did not reach, and the slices that workers have not
 * finished, count as behind.
 */
export function publishAges(
  { engine, nowMs, listedBelow, tally }: Pass,
  { order, progress }: Saved,
  slices: readonly Slice[],
) {
  const { listedFrom, due, walkedAtMs } = progress;
  const oldest = (name: WalkName, ofSlice: (slice: Slice) => number, ownMs: number): number =>
    Math.min(ownMs, ...slices.filter(({ walk }) => walk.name === name).map(ofSlice));
  const began = ({ walk }: Slice): number => walk.beganMs;
  const listedMs = oldest("listing", ({ from }) => momentOf(from), momentOf(listedFrom));
  const dueMs = oldest("due", began, due?.beganMs ?? nowMs);
  // Until the first walk has finished, the age counts only from the slices of workers; without slices it is 0.
  const everythingMs = oldest("everything", began, Number.isFinite(walkedAtMs) ? walkedAtMs : nowMs);
  const seconds = (fromMs: number, toMs = nowMs): number => Math.max(0, Math.round((toMs - fromMs) / 1000));
  const ages = {
    listing: seconds(listedMs, momentOf(listedBelow)),
    due: seconds(dueMs),
    everything: seconds(everythingMs),
  };
  for (const [walk, age] of Object.entries(ages)) engine.meter.gauge(`sweep_${walk}_behind_seconds`, age);
  // The sweeper looks at a parked invocation once it is due, so a lost wake delays the invocation by one pass at most.
  engine.meter.gauge("oldest_overdue_seconds", Math.max(0, nowMs - tally.dueSinceMs) / 1000);
  if (ages.listing + ages.due > 0 || order !== undefined)
    engine.log.write("sweeper.walk-delayed", { ...ages, slices: slices.length });
}
