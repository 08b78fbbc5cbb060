/** The body of a schedule: its plan, what it does now, its next moments and its last runs. */
import { durationText } from "../../../core/model/duration.ts";
import { dueAtMs, momentsIn } from "../../../core/schedules/moments.ts";
import type { Backfill, EndedRun, OpenRun, ScheduleState } from "../../../core/schedules/schedule-state.ts";
import type { Engine } from "../../../engine/engine.ts";
import { portsOf } from "../../../engine/schedules/advance-schedule.ts";
import type { StoredSchedule } from "../../../engine/store/schedule-record.ts";
import type { BackfillBody, ScheduleBody, ScheduleRunBody } from "../../contract/schedules.ts";
import { momentText, present, written } from "../requests/json-members.ts";

/** @param nextCount how many of the next moments are shown */
export function scheduleBody(engine: Engine, { schedule, state }: StoredSchedule, nextCount: number): ScheduleBody {
  const { target, timing, pause } = { ...schedule, ...state };
  return {
    name: schedule.name,
    id: schedule.id,
    generation: schedule.generation,
    service: target.service,
    handler: target.handler,
    ...present({ key: target.key, scope: target.scope, limit_key: schedule.limitKey }),
    headers: Object.fromEntries(schedule.headers.map(({ key, value }) => [key, value])),
    ...(timing.kind === "cron"
      ? { cron: timing.expression, time_zone: timing.timeZone }
      : { interval: durationText(timing.everyMs) }),
    jitter: durationText(schedule.jitterMs),
    ...present({ start: written(schedule.startAtMs, momentText), end: written(schedule.endAtMs, momentText) }),
    ...present({ count: schedule.count }),
    overlap: schedule.overlap,
    catch_up: durationText(schedule.catchUpMs),
    created_at: momentText(schedule.createdAtMs),
    changed_at: momentText(schedule.changedAtMs),
    status: statusOf(state),
    ...(pause && { pause: { at: momentText(pause.atMs), ...present({ note: pause.note, by: pause.by }) } }),
    ...(state.error && {
      error: {
        at: momentText(state.error.atMs),
        message: state.error.message,
        retry_at: momentText(state.error.retryAtMs),
      },
    }),
    started: state.counted,
    next: nextOf(engine, { schedule, state }, nextCount).map(momentText),
    waiting: state.waiting.map(momentText),
    backfills: state.backfills.map(backfillBody),
    runs: [...state.open.toReversed().map(openBody), ...state.recent.map(endedBody)],
  };
}

/** @returns the body with the input, as JSON where it is JSON */
export function wholeScheduleBody(engine: Engine, stored: StoredSchedule): ScheduleBody {
  const { input } = stored.schedule;
  const body = scheduleBody(engine, stored, SHOWN_MOMENTS);
  if (input.length === 0) return body;
  try {
    return { ...body, input: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(input)) as unknown };
  } catch {
    return { ...body, input_base64: btoa(Array.from(input, (byte) => String.fromCharCode(byte)).join("")) };
  }
}

const SHOWN_MOMENTS = 10;

function statusOf({ pause, error, nextMs, waiting }: ScheduleState): ScheduleBody["status"] {
  if (pause !== undefined) return "paused";
  if (nextMs === undefined && waiting.length === 0) return "ended";
  return error === undefined ? "active" : "failing";
}

/** When the next ticks are due, with their jitter. A paused schedule shows them, too. */
function nextOf(
  engine: Engine,
  { schedule, state }: Pick<StoredSchedule, "schedule" | "state">,
  count: number,
): readonly number[] {
  const { nextMs, counted, pause } = state;
  if (nextMs === undefined) return [];
  // The moments that pass during a pause do not count.
  const fromMs = pause === undefined ? nextMs : Math.max(nextMs, engine.clock.nowMs());
  const left = schedule.count === undefined ? count : Math.min(count, schedule.count - counted);
  const range = { fromMs, belowMs: Infinity, limit: left };
  return momentsIn(schedule, portsOf(engine).calendar.next, range).map((momentMs) => dueAtMs(schedule, momentMs));
}

function openBody({ key, kind, momentMs, invocationId, startedAtMs }: OpenRun): ScheduleRunBody {
  return {
    run: key,
    kind,
    moment: momentText(momentMs),
    outcome: "open",
    invocation_id: invocationId,
    started_at: momentText(startedAtMs),
  };
}

function endedBody(run: EndedRun): ScheduleRunBody {
  return {
    run: run.key,
    kind: run.kind,
    moment: momentText(run.momentMs),
    outcome: run.outcome,
    ...present({
      invocation_id: run.invocationId,
      started_at: written(run.startedAtMs, momentText),
      missed_until: written(run.untilMs, momentText),
    }),
    ended_at: momentText(run.endedAtMs),
  };
}

export function backfillBody({
  id,
  fromMs,
  belowMs,
  total,
  started,
  concurrency,
  createdAtMs,
}: Backfill): BackfillBody {
  return {
    id,
    from: momentText(fromMs),
    to: momentText(belowMs),
    total,
    started,
    concurrency,
    created_at: momentText(createdAtMs),
  };
}
