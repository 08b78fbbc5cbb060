/** One pass of the sweeper: its walks take turns until all are done, time is over, or workers get the rest as slices. */
import { HOUR_MS } from "../../core/model/time-units.ts";
import { measureLimits } from "../limits/measure.ts";
import type { Engine } from "../engine.ts";
import { momentOfPlace, placeAt } from "../store/item-keys.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import { HAND_OVER_AFTER_MS, type Slice, handOver } from "./slices.ts";
import {
  newDue,
  dueWalk,
  newEverything,
  everythingWalk,
  listingWalk,
  lookAgain,
  lookAgainOrdered,
  orderedListingWalk,
  orderedOpenWalk,
} from "./walks.ts";
import { type Progress, type UnfinishedWalk, type Saved, isDone, notedBeforeMs } from "./progress.ts";
import { OPEN_STATUSES, type OpenCount, type ServiceCount, Counts } from "./counts.ts";
import type { Pass, PassWalk, WalkName } from "./walk.ts";
import type { GaugeValue } from "../ports/log.ts";

/**
 * The length of a turn. Turns keep a long walk from starving the others, and a pass that dies loses little more than the work
 * of one turn.
 */
const TURN_MS = 15_000;
/** How long each walk stays first in the rotation: the interval at which the sweeper is called. */
const FIRST_FOR_MS = 300_000;
/**
 * Walks over everything begin at this interval: the duration of the previous walk times this number, but at most the maximum
 * below.
 */
const REST_TIMES = 100;
const EVERYTHING_EVERY_MAX_MS = 6 * HOUR_MS;

const WALKS: readonly PassWalk[] = [listingWalk, dueWalk, everythingWalk, orderedOpenWalk, orderedListingWalk];

export interface SweepReport {
  readonly woken: number;
  readonly extended: number;
  /** Parked invocations that would not advance and whose next look was postponed. */
  readonly postponed?: number;
  /** Slices that were handed over to workers. */
  readonly handedOver?: number;
  /** Present if time was over before the work was done: the next pass continues. */
  readonly unfinished?: true;
}

export interface Passing {
  /**
   * The moment that was passed to `begun`. If the walks over due entries and over everything both begin at this moment, one
   * read of the open index serves both.
   */
  readonly nowMs: number;
  readonly untilMs: number;
  /** Called after each turn that used up its time, after the work was handed over, and at the end. */
  readonly save: (saved: Saved) => Promise<void>;
  readonly guard?: Guard;
  /** Slices of earlier passes that workers have not finished. */
  readonly slices?: readonly Slice[];
}

/**
 * @param progress the progress of the previous pass, with its unfinished walks
 * @param underWay walks that do not begin again yet, because workers still have slices with the entries of these walks
 * @returns the progress with the walks that this pass begins
 */
export function begun(progress: Progress, nowMs: number, underWay: ReadonlySet<WalkName> = new Set()): Progress {
  const everyMs = Math.min(REST_TIMES * progress.walkTookMs, EVERYTHING_EVERY_MAX_MS);
  const isDue = nowMs - progress.walkedAtMs >= everyMs && !underWay.has("everything");
  const [due, walk] = [left(progress.due, newDue), left(progress.walk, newEverything)];
  return {
    ...progress,
    due: due ?? (underWay.has("due") ? undefined : newDue(nowMs)),
    walk: walk ?? (isDue ? newEverything(nowMs, notedBeforeMs(progress)) : undefined),
    // If workers still have slices of a walk, the walk lasts at least until now.
    ...(underWay.has("everything") && { walkTookMs: Math.max(progress.walkTookMs, nowMs - progress.walkedAtMs) }),
  };
}

/** Drops a walk that is still at its start, so that a new one begins now. */
function left<R extends UnfinishedWalk>(
  unfinished: R | undefined,
  atFirst: (beganMs: number) => UnfinishedWalk,
): R | undefined {
  return unfinished?.from === (unfinished && atFirst(unfinished.beganMs).from) ? undefined : unfinished;
}

/**
 * Runs the walks in turns. A walk that fails does not stop the others.
 * @param saved the state with the walks that this pass begins
 * @throws the error of the first walk that failed, after the others are done or time is over
 */
export async function runPass(engine: Engine, saved: Saved, passing: Passing): Promise<SweepReport> {
  const { nowMs, untilMs, save, guard = NO_GUARD, slices = [] } = passing;
  const counts = new Counts(saved.progress.due?.sinceMs);
  const pass: Pass = { engine, nowMs, counts, guard, listedBelow: placeAt(nowMs - engine.settings.listingAgeMinMs) };
  if (saved.ordered !== undefined) engine.activeInvocations.recentWakes.loseBefore(saved.ordered.beganMs);
  const failures: unknown[] = [];
  let walks = inTurn(nowMs);
  let now: Saved = {
    progress: await lookAgain(saved.progress, pass),
    ordered: saved.ordered && (await lookAgainOrdered(saved.ordered, pass)),
  };
  const isLate = (): boolean => engine.activeInvocations.stopping || engine.clock.nowMs() >= untilMs;
  const isLeft = (): boolean => walks.some((walk) => walk.isLeft(now, pass));
  const handedOver: Slice[] = [];
  do {
    for (const walk of walks) {
      if (!walk.isLeft(now, pass)) continue;
      const turnUntilMs = engine.clock.nowMs() + TURN_MS;
      const isOver = (): boolean => isLate() || engine.clock.nowMs() >= turnUntilMs;
      try {
        now = await walk.goOn(now, pass, isOver);
      } catch (error) {
        failures.push(error);
        walks = walks.filter((other) => other !== walk);
      }
      if (isOver()) await save(now);
    }
    if (isLeft() && engine.clock.nowMs() - nowMs >= HAND_OVER_AFTER_MS) {
      now = await handAllOver(pass, walks, now, { outstanding: slices.length, handedOver });
      await save(now);
    }
  } while (!isLate() && isLeft());
  await save(now);
  publishAges(pass, now, [...slices, ...handedOver]);
  publishOpenCount(pass, now, handedOver);
  await measureLimits(engine);
  if (failures.length > 0) throw failures[0];
  return reported(pass, now, handedOver.length);
}

/**
 * Writes the slices. The caller saves the progress without them afterwards, so a pass that dies in between repeats work but
 * loses none.
 */
async function handAllOver(
  pass: Pass,
  walks: readonly PassWalk[],
  saved: Saved,
  { outstanding, handedOver }: { readonly outstanding: number; readonly handedOver: Slice[] },
): Promise<Saved> {
  let now = saved;
  for (const walk of walks) {
    if (!walk.isLeft(now, pass)) continue;
    const rest = walk.remaining(now, pass);
    const slices = await handOver(pass.engine, rest, outstanding + handedOver.length);
    if (slices === undefined) continue;
    handedOver.push(...slices);
    now = rest.saved;
  }
  return now;
}

/** Rotates the order of the walks with time, because a walk that kills the process must not always run before the others. */
function inTurn(nowMs: number): readonly PassWalk[] {
  const first = Math.floor(nowMs / FIRST_FOR_MS) % WALKS.length;
  return [...WALKS.slice(first), ...WALKS.slice(0, first)];
}

function reported(pass: Pass, saved: Saved, handedOver: number): SweepReport {
  const { engine, counts } = pass;
  const { woken, extended, postponed } = counts;
  const isLeft =
    WALKS.some((walk) => walk.isLeft(saved, pass)) || (saved.ordered !== undefined && !isDone(saved.ordered));
  const isUnfinished = counts.isStuck || isLeft;
  const report = {
    woken,
    extended,
    ...(postponed > 0 && { postponed }),
    ...(handedOver > 0 && { handedOver }),
    ...(isUnfinished && { unfinished: true as const }),
  };
  if (isUnfinished) engine.log.write("sweeper.pass-unfinished", { ...report });
  else if (woken + extended + postponed + handedOver > 0) engine.log.write("sweeper.work-found", { ...report });
  return report;
}

/** The most services with a label of their own; the rest is `other`. */
const SERVICES_MAX = 20;

/**
 * Writes nothing unless a walk over the whole index began and ended in this pass, because a part of the index gives no count.
 * If the function writes nothing, the metrics of an earlier pass stay; the metric with the moment of the count shows their age.
 * @param handedOver the slices that this pass has left to workers
 */
export function publishOpenCount(pass: Pass, { progress, ordered }: Saved, handedOver: readonly Slice[]): void {
  const { engine, nowMs, counts } = pass;
  const isWhole = (...walks: WalkName[]): boolean => !handedOver.some(({ walk }) => walks.includes(walk.name));
  const isWalked = progress.due === undefined && progress.walk === undefined && isWhole("due", "everything");
  const isOrderDone = ordered?.openFrom === undefined && isWhole("ordered-open");
  const count = (isWalked ? counts.open : undefined) ?? (isOrderDone ? counts.orderedOpen : undefined);
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

function byStatus(count: ServiceCount): GaugeValue[] {
  return OPEN_STATUSES.map((status) => ({ value: count.byStatus[status], labels: { status } }));
}

/** The age of the invocation that has waited longest for a driver; 0 without such an invocation. */
function readySeconds({ readySinceMs }: ServiceCount, nowMs: number): number {
  return Math.max(0, nowMs - readySinceMs) / 1000;
}

/**
 * Writes as metrics how far each walk is behind. The parts that this pass did not reach, and the slices that workers have not
 * finished, count as behind.
 */
export function publishAges(
  { engine, nowMs, listedBelow, counts }: Pass,
  { ordered, progress }: Saved,
  slices: readonly Slice[],
) {
  const { listedFrom, due, walkedAtMs } = progress;
  const oldest = (name: WalkName, ofSlice: (slice: Slice) => number, ownMs: number): number =>
    Math.min(ownMs, ...slices.filter(({ walk }) => walk.name === name).map(ofSlice));
  const began = ({ walk }: Slice): number => walk.beganMs;
  const listedMs = oldest("listing", ({ from }) => momentOfPlace(from), momentOfPlace(listedFrom));
  const dueMs = oldest("due", began, due?.beganMs ?? nowMs);
  // Until the first walk has finished, the age counts only from the slices of workers; without slices it is 0.
  const everythingMs = oldest("everything", began, Number.isFinite(walkedAtMs) ? walkedAtMs : nowMs);
  const seconds = (fromMs: number, toMs = nowMs): number => Math.max(0, Math.round((toMs - fromMs) / 1000));
  const ages = {
    listing: seconds(listedMs, momentOfPlace(listedBelow)),
    due: seconds(dueMs),
    everything: seconds(everythingMs),
  };
  for (const [walk, age] of Object.entries(ages)) engine.meter.gauge(`sweep_${walk}_behind_seconds`, age);
  // The sweeper looks at a parked invocation once it is due, so a lost wake delays the invocation by one pass at most.
  engine.meter.gauge("oldest_overdue_seconds", Math.max(0, nowMs - counts.dueSinceMs) / 1000);
  if (ages.listing + ages.due > 0 || ordered !== undefined)
    engine.log.write("sweeper.walk-delayed", { ...ages, slices: slices.length });
}
