/** Writes the counts of open invocations as metrics, after a pass that has walked the whole open index. */
import type { Engine } from "../engine.ts";
import type { Reading } from "../ports/log.ts";
import { OPEN_STATUSES, type OpenCount, type ServiceCount } from "./open-count.ts";
import type { Saved } from "./progress.ts";
import type { Slice } from "./slice.ts";
import type { Pass } from "./task.ts";
import type { WalkName } from "./walks.ts";

/** The most services with a label of their own; the rest is `other`. */
const SERVICES_MAX = 20;

/**
 * Writes nothing unless a walk over the whole index began and ended in this pass, because a part of the index gives no count.
 * If the function writes nothing, the metrics of an earlier pass stay; the metric with the moment of the count shows their age.
 * @param handedOver the slices that this pass has left to workers
 */
export function publishOpenCount(pass: Pass, { progress, order }: Saved, handedOver: readonly Slice[]): void {
  const { engine, nowMs, tally } = pass;
  const isWhole = (...walks: WalkName[]): boolean => !handedOver.some(({ walk }) => walks.includes(walk.name));
  const isWalked = progress.due === undefined && progress.walk === undefined && isWhole("due", "everything");
  const isOrderDone = order?.openFrom === undefined && isWhole("ordered-open");
  const count = (isWalked ? tally.open : undefined) ?? (isOrderDone ? tally.orderedOpen : undefined);
  if (count !== undefined) publish(engine, count, nowMs);
}

function publish({ meter }: Engine, count: OpenCount, nowMs: number): void {
  if (meter.isPriced) return publishPriced({ meter }, count, nowMs);
  const counts = [...count.counted(SERVICES_MAX)];
  meter.gauges(
    "open_invocations",
    counts.flatMap(([service, one]) =>
      byStatus(one).map(({ value, labels }) => ({ value, labels: { service, ...labels } })),
    ),
  );
  meter.gauges(
    "oldest_ready_seconds",
    counts.map(([service, one]) => ({ value: readySeconds(one, nowMs), labels: { service } })),
  );
  meter.gauge("open_invocations_counted_timestamp_seconds", nowMs / 1000);
}

/**
 * Writes no moment, because CloudWatch keeps the moment of each value. Writes nothing if there is no open invocation, so that
 * an idle environment pays for none of these metrics.
 */
function publishPriced({ meter }: Pick<Engine, "meter">, count: OpenCount, nowMs: number): void {
  const [[, all]] = [...count.counted(0)] as [[string, ServiceCount]];
  if (all.total === 0) return;
  meter.gauges(
    "open_invocations",
    byStatus(all).filter(({ value }) => value > 0),
  );
  meter.gauge("oldest_ready_seconds", readySeconds(all, nowMs));
}

function byStatus(count: ServiceCount): Reading[] {
  return OPEN_STATUSES.map((status) => ({ value: count.byStatus[status], labels: { status } }));
}

/** The age of the invocation that has waited longest for a driver; 0 without such an invocation. */
function readySeconds({ readySinceMs }: ServiceCount, nowMs: number): number {
  return Math.max(0, nowMs - readySinceMs) / 1000;
}
