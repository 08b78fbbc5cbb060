/** How far a schedule has come: its next moment, its open runs, what waits, its backfills and its last runs. */
import type { InvocationId } from "../model/ids.ts";
import { nextMoment, type NextCron } from "./moments.ts";
import { hasSameMoments, runsTheSame, type Schedule, type SchedulePlan } from "./schedule.ts";

/** `tick`: a moment of the schedule. `trigger`: an operator's order to run now. `backfill`: a moment of an ordered range. */
export type RunKind = "tick" | "trigger" | "backfill";

/** A run of a schedule. The id of its invocation follows from the id of the schedule and from `key`. */
export interface Run {
  /** Names the run within its schedule: `t<generation>.<moment>`, `m.<id>` or `b.<backfill>.<moment>`. */
  readonly key: string;
  readonly kind: RunKind;
  readonly momentMs: number;
}

export interface OpenRun extends Run {
  readonly invocationId: InvocationId;
  readonly startedAtMs: number;
  /** True once the run was cancelled because a later tick wants its place. */
  readonly isCancelled?: true;
}

/**
 * - `succeeded`, `failed`, `cancelled`, `killed`: how the invocation ended.
 * - `skipped`: an earlier run was open. `missed`: the tick was later than the catch-up window; `untilMs` ends the missed range.
 * - `exists`: the run of this workflow id exists already. `untracked`: too many runs are open to follow each of them.
 */
export type RunOutcome =
  | "succeeded"
  | "failed"
  | "cancelled"
  | "killed"
  | "skipped"
  | "missed"
  | "exists"
  | "untracked";

export interface EndedRun extends Run {
  readonly outcome: RunOutcome;
  readonly invocationId?: InvocationId;
  readonly startedAtMs?: number;
  readonly endedAtMs: number;
  /** For `missed`: the first moment that is not missed any more. */
  readonly untilMs?: number;
}

export interface Backfill {
  readonly id: string;
  readonly fromMs: number;
  readonly belowMs: number;
  /** The next moment to run; absent once all have started. */
  readonly nextMs?: number;
  readonly total: number;
  readonly started: number;
  /** The most runs of this backfill that are open at the same time. */
  readonly concurrency: number;
  readonly createdAtMs: number;
}

export interface SchedulePause {
  readonly atMs: number;
  readonly note?: string;
  readonly by?: string;
}

/** Why the last tick could not start, and when it is tried again. */
export interface TickError {
  readonly atMs: number;
  readonly message: string;
  readonly retryAtMs: number;
}

export interface ScheduleState {
  /** The moment of the next tick; absent if none follows. */
  readonly nextMs?: number;
  /** The ticks of this generation that have started, for the count of the plan. */
  readonly counted: number;
  readonly pause?: SchedulePause;
  readonly error?: TickError;
  readonly open: readonly OpenRun[];
  /** Moments whose ticks wait for the end of earlier runs, in order. */
  readonly waiting: readonly number[];
  readonly backfills: readonly Backfill[];
  /** The last runs that have ended or were left out, the newest first. */
  readonly recent: readonly EndedRun[];
}

export const RECENT_MAX = 10;
export const OPEN_MAX = 50;

export function tickKey(generation: number, momentMs: number): string {
  return `t${generation}.${momentMs}`;
}

/** @param nowMs the moment of the creation: earlier moments do not count */
export function firstState(plan: SchedulePlan, nextCron: NextCron, nowMs: number): ScheduleState {
  const nextMs = nextMoment(plan, nextCron, nowMs);
  return { ...(nextMs !== undefined && { nextMs }), counted: 0, open: [], waiting: [], backfills: [], recent: [] };
}

/**
 * Changes the plan of a schedule. A change of what runs or when begins a new generation: its ticks have ids of their own. If the
 * moments stay the same, the next tick stays the same, so that a change loses no moment; else the moments after now count.
 */
export function changed(
  { schedule, state }: { readonly schedule: Schedule; readonly state: ScheduleState },
  plan: SchedulePlan,
  nextCron: NextCron,
  nowMs: number,
): { readonly schedule: Schedule; readonly state: ScheduleState } {
  const keepsMoments = hasSameMoments(schedule, plan);
  const isSameWork = keepsMoments && runsTheSame(schedule, plan);
  const { id, createdAtMs } = schedule;
  const generation = isSameWork ? schedule.generation : schedule.generation + 1;
  const { error: _old, nextMs: before, ...kept } = state;
  const counted = isSameWork ? state.counted : 0;
  const mayGoOn = plan.count === undefined || counted < plan.count;
  const standing = keepsMoments ? before : undefined;
  const nextMs = mayGoOn ? (standing ?? nextMoment(plan, nextCron, nowMs)) : undefined;
  return {
    schedule: { ...plan, id, createdAtMs, generation, changedAtMs: nowMs },
    state: {
      ...kept,
      counted,
      waiting: keepsMoments ? state.waiting : [],
      ...(nextMs !== undefined && { nextMs }),
    },
  };
}

export function paused(state: ScheduleState, pause: SchedulePause): ScheduleState {
  return { ...state, pause };
}

/** Moments that passed during the pause do not count. */
export function resumed(
  { schedule, state }: { readonly schedule: Schedule; readonly state: ScheduleState },
  nextCron: NextCron,
  nowMs: number,
): ScheduleState {
  const { pause: _ended, nextMs: before, ...rest } = state;
  if (before === undefined || before > nowMs) return { ...rest, ...(before !== undefined && { nextMs: before }) };
  const nextMs = nextMoment(schedule, nextCron, nowMs);
  return { ...rest, ...(nextMs !== undefined && { nextMs }) };
}

/** The state once a run has started. If too many runs are open, the oldest is followed no longer. */
export function withStarted(state: ScheduleState, run: OpenRun): ScheduleState {
  const { error: _over, ...rest } = state;
  const open = [...state.open, run];
  const [oldest] = open;
  if (open.length <= OPEN_MAX || oldest === undefined) return { ...rest, open };
  const { isCancelled: _, ...left } = oldest;
  return withEnded({ ...rest, open: open.slice(1) }, { ...left, outcome: "untracked", endedAtMs: run.startedAtMs });
}

export function withEnded(state: ScheduleState, run: EndedRun): ScheduleState {
  return { ...state, recent: [run, ...state.recent].slice(0, RECENT_MAX) };
}

/** @returns undefined if the run is not open: its end was noted before, or it is followed no longer */
export function withoutOpen(
  state: ScheduleState,
  key: string,
  { outcome, endedAtMs }: { readonly outcome: RunOutcome; readonly endedAtMs: number },
): ScheduleState | undefined {
  const run = state.open.find((one) => one.key === key);
  if (run === undefined) return undefined;
  const { isCancelled: _, ...left } = run;
  const open = state.open.filter((one) => one !== run);
  return withEnded(
    { ...state, open, backfills: withoutFinished(state.backfills, open) },
    { ...left, outcome, endedAtMs },
  );
}

function withoutFinished(backfills: readonly Backfill[], open: readonly OpenRun[]): readonly Backfill[] {
  return backfills.filter(({ id, nextMs }) => nextMs !== undefined || open.some(({ key }) => isOfBackfill(key, id)));
}

export function backfillKey(backfillId: string, momentMs: number): string {
  return `b.${backfillId}.${momentMs}`;
}

export function isOfBackfill(key: string, backfillId: string): boolean {
  return key.startsWith(`b.${backfillId}.`);
}
