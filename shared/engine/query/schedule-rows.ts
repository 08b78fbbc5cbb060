/** The rows of schedules and of their runs, for SQL. */
import { targetText } from "../../core/model/target.ts";
import { timingText } from "../../core/schedules/schedule.ts";
import type { ScheduleState } from "../../core/schedules/schedule-state.ts";
import type { Engine } from "../engine.ts";
import { readSchedules } from "../store/schedule-record.ts";
import type { Cells } from "./reading.ts";

/** One row for each schedule. */
export async function scheduleRows(engine: Engine): Promise<readonly Cells[]> {
  return (await readSchedules(engine)).map(({ schedule, state }) => ({
    name: schedule.name,
    id: schedule.id,
    generation: schedule.generation,
    target: targetText(schedule.target),
    target_service_name: schedule.target.service,
    target_handler_name: schedule.target.handler,
    target_service_key: schedule.target.key,
    scope: schedule.target.scope,
    limit_key: schedule.limitKey,
    timing: timingText(schedule.timing),
    overlap: schedule.overlap,
    status: statusOf(state),
    paused_note: state.pause?.note,
    error: state.error?.message,
    next_at: state.nextMs,
    started: state.counted,
    open_runs: state.open.length,
    waiting: state.waiting.length,
    backfills: state.backfills.length,
    last_outcome: state.recent[0]?.outcome,
    created_at: schedule.createdAtMs,
    modified_at: schedule.changedAtMs,
  }));
}

function statusOf({ pause, error, nextMs, waiting }: ScheduleState): string {
  if (pause !== undefined) return "paused";
  if (nextMs === undefined && waiting.length === 0) return "ended";
  return error === undefined ? "active" : "failing";
}

/** One row for each open run, and for each of the last runs that have ended or were left out. */
export async function scheduleRunRows(engine: Engine): Promise<readonly Cells[]> {
  return (await readSchedules(engine))
    .flatMap(({ schedule: { name }, state }) => [
      ...state.open.map((run) => ({ ...run, outcome: "open", endedAtMs: undefined, name })),
      ...state.recent.map((run) => ({ ...run, name })),
    ])
    .map((run) => ({
      schedule: run.name,
      run: run.key,
      kind: run.kind,
      moment: run.momentMs,
      outcome: run.outcome,
      invocation_id: run.invocationId,
      started_at: run.startedAtMs,
      ended_at: run.endedAtMs,
    }));
}
