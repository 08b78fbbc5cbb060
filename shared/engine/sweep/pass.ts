/** One pass of the sweeper: every task for some seconds in its turn, until all is looked at or time is over. */
import type { Engine } from "../engine.ts";
import { listingAgeMinMs } from "../engine-settings.ts";
import { momentOf, placeAt } from "../ledger/item-keys.ts";
import { Tally } from "./driverless.ts";
import { listingTask, lookAgain, orderedListingTask } from "./listing-tasks.ts";
import { dueRound, dueTask, everythingRound, everythingTask, orderedOpenTask } from "./open-tasks.ts";
import type { Progress, Round, Saved } from "./progress.ts";
import type { Pass, Task } from "./task.ts";

/** What there is much of does not keep the others from their turn, and a pass that dies loses no more than this. */
const TURN_MS = 15_000;
/** As often as the sweeper is called. */
const FIRST_FOR_MS = 300_000;
/** Passes between look only at what is due by its place in the open index, unless there is little in it. */
const EVERYTHING_EVERY_MS = 600_000;

const TASKS: readonly Task[] = [listingTask, dueTask, everythingTask, orderedOpenTask, orderedListingTask];

export interface SweepReport {
  readonly woken: number;
  readonly extended: number;
  /** Time was over first: the next pass goes on from there. */
  readonly unfinished?: true;
}

export interface Passing {
  /** When its walks began: the moment that `begun` was told, by which two that begin together are read as one. */
  readonly nowMs: number;
  readonly untilMs: number;
  /** Called after each turn that leaves something, and at the end. */
  readonly save: (saved: Saved) => Promise<void>;
}

/** @param progress of the pass before, with whatever that left @returns the same with the walks that this pass begins */
export function begun(progress: Progress, nowMs: number): Progress {
  const isDue = progress.walkedFew || nowMs - progress.walkedAtMs >= EVERYTHING_EVERY_MS;
  const [due, walk] = [left(progress.due, dueRound), left(progress.walk, everythingRound)];
  return { ...progress, due: due ?? dueRound(nowMs), walk: walk ?? (isDue ? everythingRound(nowMs) : undefined) };
}

/** One that had no turn may as well begin now. */
function left<R extends Round>(round: R | undefined, atFirst: (beganMs: number) => Round): R | undefined {
  return round?.from === (round && atFirst(round.beganMs).from) ? undefined : round;
}

/**
 * A task that fails keeps no other from its turn.
 * @param saved with the walks that this pass begins
 * @throws what the first task to fail threw, once all others are done
 */
export async function runPass(engine: Engine, saved: Saved, { nowMs, untilMs, save }: Passing): Promise<SweepReport> {
  const tally = new Tally(saved.progress.due?.sinceMs);
  const pass = { engine, nowMs, tally, listedBelow: placeAt(nowMs - listingAgeMinMs(engine.settings)) };
  if (saved.order !== undefined) engine.drives.woken.loseBefore(saved.order.beganMs);
  const failures: unknown[] = [];
  let tasks = inTurn(nowMs);
  let now: Saved = { ...saved, progress: await lookAgain(saved.progress, pass) };
  const isLate = (): boolean => engine.drives.stopping || engine.clock.nowMs() >= untilMs;
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
  } while (!isLate() && tasks.some((task) => task.isLeft(now, pass)));
  await save(now);
  // What is parked is looked at when it is due; one pass of the sweeper late is what a lost wake costs, and no more.
  engine.meter.gauge("oldest_overdue_seconds", Math.max(0, nowMs - tally.dueSinceMs) / 1000);
  if (failures.length > 0) throw failures[0];
  return reported(pass, now);
}

/** Who comes first changes with the time: a task that takes the process with it keeps the others only from some passes. */
function inTurn(nowMs: number): readonly Task[] {
  const first = Math.floor(nowMs / FIRST_FOR_MS) % TASKS.length;
  return [...TASKS.slice(first), ...TASKS.slice(0, first)];
}

function reported(pass: Pass, saved: Saved): SweepReport {
  const { engine, tally } = pass;
  const { woken, extended } = tally;
  const isUnfinished = tally.isStuck || TASKS.some((task) => task.isLeft(saved, pass));
  const report = { woken, extended, ...(isUnfinished && { unfinished: true as const }) };
  if (isUnfinished) engine.log.warn("the sweeper goes on with its next pass", { ...report, ...lags(pass, saved) });
  else if (woken + extended > 0) engine.log.info("the sweeper woke what nobody woke", { ...report });
  return report;
}

/** By how much each walk is behind, in seconds: from pass to pass it tells whether the sweeper keeps up. */
function lags({ nowMs, listedBelow }: Pass, { order, progress }: Saved) {
  const { listedFrom, due, walk } = progress;
  const seconds = (fromMs: number, toMs: number): number => Math.max(0, Math.round((toMs - fromMs) / 1000));
  return {
    listingBehindS: seconds(momentOf(listedFrom), momentOf(listedBelow)),
    dueBehindS: due === undefined ? 0 : seconds(due.beganMs, nowMs),
    ...(order !== undefined && { orderedBehindS: seconds(order.beganMs, nowMs) }),
    everythingBehindS: walk === undefined ? 0 : seconds(walk.beganMs, nowMs),
  };
}
