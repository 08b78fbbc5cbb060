/** Decides what a schedule does now: start a run, leave a tick out, let it wait, cancel what runs, or wait. */
import { dueAtMs, nextMoment, type NextCron } from "./moments.ts";
import { BUFFER_MAX, type Schedule } from "./schedule.ts";
import {
  backfillKey,
  isOfBackfill,
  type OpenRun,
  type Run,
  type ScheduleState,
  tickKey,
  withEnded,
} from "./schedule-state.ts";

export type Decision =
  /**
   * `state` is the state after the start, without the open run itself: the caller adds it, because only the caller knows the id of its
   * invocation. Acceptance and state are one write.
   */
  | { readonly kind: "start"; readonly run: Run; readonly dueAtMs: number; readonly state: ScheduleState }
  /** Only the state changes. */
  | { readonly kind: "note"; readonly state: ScheduleState }
  /** The caller cancels the runs first and writes the state afterwards: a cancel may be repeated. */
  | { readonly kind: "cancel"; readonly runs: readonly OpenRun[]; readonly state: ScheduleState }
  /** `untilMs` is absent if nothing is due before a change or the end of a run. */
  | { readonly kind: "wait"; readonly untilMs?: number };

interface Ground {
  readonly schedule: Schedule;
  readonly state: ScheduleState;
  readonly nextCron: NextCron;
  readonly nowMs: number;
}

/** Repeated with each new state until it says `wait`. */
export function decide(ground: Ground): Decision {
  const { state, nowMs } = ground;
  if (state.error !== undefined && state.error.retryAtMs > nowMs)
    return { kind: "wait", untilMs: state.error.retryAtMs };
  const own = state.pause === undefined ? decideTick(ground) : undefined;
  return own ?? decideBackfill(ground) ?? waitFor(ground);
}

/** The moment at which `decide` next says something other than `wait`; undefined if only a change or an end leads to it. */
export function dueOf(schedule: Schedule, state: ScheduleState): number | undefined {
  if (state.backfills.some((one) => one.nextMs !== undefined && hasRoom(state, one)))
    return state.error?.retryAtMs ?? 0;
  if (state.pause !== undefined) return undefined;
  if (state.waiting.length > 0 && !isBusy(state)) return state.error?.retryAtMs ?? 0;
  if (state.nextMs === undefined) return undefined;
  return Math.max(dueAtMs(schedule, state.nextMs), state.error?.retryAtMs ?? 0);
}

function waitFor({ schedule, state }: Ground): Decision {
  const untilMs = dueOf(schedule, state);
  return { kind: "wait", ...(untilMs !== undefined && { untilMs }) };
}

function decideTick(ground: Ground): Decision | undefined {
  const { schedule, state, nowMs } = ground;
  const momentMs = state.nextMs;
  if (momentMs === undefined || dueAtMs(schedule, momentMs) > nowMs) return decideWaiting(ground);
  const lateMs = nowMs - dueAtMs(schedule, momentMs);
  if (lateMs > schedule.catchUpMs) return missed(ground, momentMs);
  if (schedule.overlap === "allow" || (!isBusy(state) && state.waiting.length === 0)) return start(ground, momentMs);
  switch (schedule.overlap) {
    case "skip":
      return skipped(ground, momentMs);
    case "buffer-one":
      return state.waiting.length === 0 ? buffered(ground, momentMs) : skippedOrWaiting(ground, momentMs);
    case "buffer-all":
      return state.waiting.length < BUFFER_MAX ? buffered(ground, momentMs) : skippedOrWaiting(ground, momentMs);
    case "cancel-running":
      return bufferedAlone(ground, momentMs);
  }
}

/** A full buffer that may give its first tick a start does so before another tick is left out. */
function skippedOrWaiting(ground: Ground, momentMs: number): Decision {
  return isBusy(ground.state) ? skipped(ground, momentMs) : (decideWaiting(ground) ?? skipped(ground, momentMs));
}

/** Starts the first tick that waits, or cancels the runs that are in its way. */
function decideWaiting({ schedule, state }: Ground): Decision | undefined {
  const [first, ...others] = state.waiting;
  if (first === undefined) return undefined;
  if (!isBusy(state) || schedule.overlap === "allow") {
    const run = { key: tickKey(schedule.generation, first), kind: "tick", momentMs: first } as const;
    const counted = state.counted + 1;
    const after = { ...state, waiting: others, counted };
    return { kind: "start", run, dueAtMs: dueAtMs(schedule, first), state: ended(schedule, after) };
  }
  const runs = schedule.overlap === "cancel-running" ? state.open.filter(isInTheWay) : [];
  if (runs.length === 0) return undefined;
  const open = state.open.map((run) => (runs.includes(run) ? { ...run, isCancelled: true as const } : run));
  return { kind: "cancel", runs, state: { ...state, open } };
}

function isInTheWay({ kind, isCancelled }: OpenRun): boolean {
  return kind !== "backfill" && isCancelled !== true;
}

/** Runs of a backfill are in no tick's way: they have a limit of their own. */
function isBusy({ open }: ScheduleState): boolean {
  return open.some(({ kind }) => kind !== "backfill");
}

function start(ground: Ground, momentMs: number): Decision {
  const { schedule, state } = ground;
  const run = { key: tickKey(schedule.generation, momentMs), kind: "tick", momentMs } as const;
  const moved = { ...movedOn(ground, momentMs), counted: state.counted + 1 };
  return { kind: "start", run, dueAtMs: dueAtMs(schedule, momentMs), state: ended(schedule, moved) };
}

/** Once as many ticks have started as the plan allows, no moment follows. */
function ended({ count }: Schedule, state: ScheduleState): ScheduleState {
  if (count === undefined || state.counted < count) return state;
  const { nextMs: _none, ...rest } = state;
  return { ...rest, waiting: [] };
}

function movedOn({ schedule, state, nextCron }: Ground, afterMs: number): ScheduleState {
  const { nextMs: _past, ...rest } = state;
  const nextMs = nextMoment(schedule, nextCron, afterMs);
  return { ...rest, ...(nextMs !== undefined && { nextMs }) };
}

/** Leaves out all ticks that are too late in one step, because an outage may have lasted for millions of them. */
function missed(ground: Ground, momentMs: number): Decision {
  const { schedule, nowMs } = ground;
  const lastMissedMs = nowMs - schedule.catchUpMs - schedule.jitterMs - 1;
  const state = movedOn(ground, Math.max(momentMs, lastMissedMs));
  return noted(ground, state, momentMs, "missed", state.nextMs);
}

function skipped(ground: Ground, momentMs: number): Decision {
  return noted(ground, movedOn(ground, momentMs), momentMs, "skipped");
}

function noted(
  { schedule, nowMs }: Ground,
  state: ScheduleState,
  momentMs: number,
  outcome: "missed" | "skipped",
  untilMs?: number,
): Decision {
  const { generation } = schedule;
  const run = { key: tickKey(generation, momentMs), kind: "tick", momentMs } as const;
  const left = { ...run, outcome, endedAtMs: nowMs, ...(untilMs !== undefined && { untilMs }) };
  return { kind: "note", state: withEnded(state, left) };
}

function buffered(ground: Ground, momentMs: number): Decision {
  const moved = movedOn(ground, momentMs);
  return { kind: "note", state: { ...moved, waiting: [...moved.waiting, momentMs] } };
}

/** The tick takes the place of one that waits for the cancelled runs. */
function bufferedAlone(ground: Ground, momentMs: number): Decision {
  const [replaced] = ground.state.waiting;
  const moved = { ...movedOn(ground, momentMs), waiting: [momentMs] };
  return replaced === undefined ? { kind: "note", state: moved } : noted(ground, moved, replaced, "skipped");
}

function hasRoom({ open }: ScheduleState, { id, concurrency }: ScheduleState["backfills"][number]): boolean {
  return open.filter(({ key }) => isOfBackfill(key, id)).length < concurrency;
}

function decideBackfill({ schedule, state, nextCron, nowMs }: Ground): Decision | undefined {
  const one = state.backfills.find((each) => each.nextMs !== undefined && hasRoom(state, each));
  if (one?.nextMs === undefined) return undefined;
  const { id, nextMs: momentMs, belowMs, started, ...rest } = one;
  const following = nextMoment(schedule, nextCron, momentMs);
  const more = following !== undefined && following < belowMs && started + 1 < one.total;
  const after = { ...rest, id, belowMs, started: started + 1, ...(more && { nextMs: following }) };
  const backfills = state.backfills.map((each) => (each === one ? after : each));
  const run = { key: backfillKey(id, momentMs), kind: "backfill", momentMs } as const;
  return { kind: "start", run, dueAtMs: nowMs, state: { ...state, backfills } };
}
