/** One pass of the sweeper: its tasks take turns until all are done, time is over, or the rest is handed over to workers. */
import { HOUR_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { placeAt } from "../store/item-keys.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import { HAND_OVER_AFTER_MS, handOver } from "./hand-over.ts";
import { listingTask, lookAgain } from "./listing-tasks.ts";
import { dueRound, dueTask, everythingRound, everythingTask } from "./open-tasks.ts";
import { lookAgainInOrder, orderedListingTask, orderedOpenTask } from "./ordered-tasks.ts";
import { isDone, notedBeforeMs, type Progress, type Round, type Saved } from "./progress.ts";
import type { Slice } from "./slice.ts";
import { Tally } from "./tally.ts";
import type { Pass, Task } from "./task.ts";
import { publishOpenCount } from "./publish-open-count.ts";
import { publishAges } from "./walk-ages.ts";
import type { WalkName } from "./walks.ts";

/**
 * The length of a turn. Turns keep a long task from starving the others, and a pass that dies loses little more than the work
 * of one turn.
 */
const TURN_MS = 15_000;
/** How long each task stays first in the rotation: the interval at which the sweeper is called. */
const FIRST_FOR_MS = 300_000;
/**
 * Walks over everything begin at this interval: the duration of the previous walk times this number, but at most the maximum
 * below.
 */
const REST_TIMES = 100;
const EVERYTHING_EVERY_MAX_MS = 6 * HOUR_MS;

const TASKS: readonly Task[] = [listingTask, dueTask, everythingTask, orderedOpenTask, orderedListingTask];

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
  const [due, walk] = [left(progress.due, dueRound), left(progress.walk, everythingRound)];
  return {
    ...progress,
    due: due ?? (underWay.has("due") ? undefined : dueRound(nowMs)),
    walk: walk ?? (isDue ? everythingRound(nowMs, notedBeforeMs(progress)) : undefined),
    // If workers still have slices of a walk, the walk lasts at least until now.
    ...(underWay.has("everything") && { walkTookMs: Math.max(progress.walkTookMs, nowMs - progress.walkedAtMs) }),
  };
}

/** Drops a walk that is still at its start, so that a new one begins now. */
function left<R extends Round>(round: R | undefined, atFirst: (beganMs: number) => Round): R | undefined {
  return round?.from === (round && atFirst(round.beganMs).from) ? undefined : round;
}

/**
 * Runs the tasks in turns. A task that fails does not stop the others.
 * @param saved the state with the walks that this pass begins
 * @throws the error of the first task that failed, after the others are done or time is over
 */
export async function runPass(engine: Engine, saved: Saved, passing: Passing): Promise<SweepReport> {
  const { nowMs, untilMs, save, guard = NO_GUARD, slices = [] } = passing;
  const tally = new Tally(saved.progress.due?.sinceMs);
  const pass: Pass = { engine, nowMs, tally, guard, listedBelow: placeAt(nowMs - engine.settings.listingAgeMinMs) };
  if (saved.order !== undefined) engine.activeInvocations.recentWakes.loseBefore(saved.order.beganMs);
  const failures: unknown[] = [];
  let tasks = inTurn(nowMs);
  let now: Saved = {
    progress: await lookAgain(saved.progress, pass),
    order: saved.order && (await lookAgainInOrder(saved.order, pass)),
  };
  const isLate = (): boolean => engine.activeInvocations.stopping || engine.clock.nowMs() >= untilMs;
  const isLeft = (): boolean => tasks.some((task) => task.isLeft(now, pass));
  const handedOver: Slice[] = [];
  do {
    for (const task of tasks) {
      if (!task.isLeft(now, pass)) continue;
      const turnUntilMs = engine.clock.nowMs() + TURN_MS;
      const isOver = (): boolean => isLate() || engine.clock.nowMs() >= turnUntilMs;
      try {
        now = await task.goOn(now, pass, isOver);
      } catch (error) {
        failures.push(error);
        tasks = tasks.filter((other) => other !== task);
      }
      if (isOver()) await save(now);
    }
    if (isLeft() && engine.clock.nowMs() - nowMs >= HAND_OVER_AFTER_MS) {
      now = await handAllOver(pass, tasks, now, { outstanding: slices.length, handedOver });
      await save(now);
    }
  } while (!isLate() && isLeft());
  await save(now);
  publishAges(pass, now, [...slices, ...handedOver]);
  publishOpenCount(pass, now, handedOver);
  if (failures.length > 0) throw failures[0];
  return reported(pass, now, handedOver.length);
}

/**
 * Writes the slices. The caller saves the progress without them afterwards, so a pass that dies in between repeats work but
 * loses none.
 */
async function handAllOver(
  pass: Pass,
  tasks: readonly Task[],
  saved: Saved,
  { outstanding, handedOver }: { readonly outstanding: number; readonly handedOver: Slice[] },
): Promise<Saved> {
  let now = saved;
  for (const task of tasks) {
    if (!task.isLeft(now, pass)) continue;
    const rest = task.rest(now, pass);
    const slices = await handOver(pass.engine, rest, outstanding + handedOver.length);
    if (slices === undefined) continue;
    handedOver.push(...slices);
    now = rest.saved;
  }
  return now;
}

/** Rotates the order of the tasks with time, because a task that kills the process must not always run before the others. */
function inTurn(nowMs: number): readonly Task[] {
  const first = Math.floor(nowMs / FIRST_FOR_MS) % TASKS.length;
  return [...TASKS.slice(first), ...TASKS.slice(0, first)];
}

function reported(pass: Pass, saved: Saved, handedOver: number): SweepReport {
  const { engine, tally } = pass;
  const { woken, extended, postponed } = tally;
  const isLeft = TASKS.some((task) => task.isLeft(saved, pass)) || (saved.order !== undefined && !isDone(saved.order));
  const isUnfinished = tally.isStuck || isLeft;
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
