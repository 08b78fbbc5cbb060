/** Tells a schedule how a run of it ended, and wakes the schedule if something waits for that end. */
import { dueOf } from "../../core/schedules/decide.ts";
import { withoutOpen } from "../../core/schedules/schedule-state.ts";
import type { Effect } from "../../core/invocation/effects.ts";
import type { Engine } from "../engine.ts";
import { readSchedule, writeState } from "../store/schedule-record.ts";

type NoteRun = Extract<Effect, { kind: "note-run" }>;

/** Does nothing if the end was noted before, or if the schedule is gone. */
export async function noteRun(engine: Engine, effect: NoteRun): Promise<void> {
  for (;;) {
    const stored = await readSchedule(engine, effect.schedule);
    if (stored === undefined || stored.schedule.id !== effect.scheduleId) return;
    const state = withoutOpen(stored.state, effect.run, effect);
    if (state === undefined) return;
    const written = await writeState(engine, stored, state);
    if (written === undefined) continue;
    countRun(engine, effect.outcome);
    const nowMs = engine.clock.nowMs();
    const dueAtMs = dueOf(written.schedule, state);
    if (dueAtMs !== undefined && dueAtMs <= nowMs)
      await engine.schedules?.wakes.at({ schedule: effect.schedule, atMs: nowMs });
    return;
  }
}

/** Where each set of labels has a price, one metric counts what an operator acts on. */
function countRun({ meter }: Engine, outcome: NoteRun["outcome"]): void {
  if (!meter.isPriced) meter.count("schedule_runs_total", { outcome });
  if (outcome === "failed" || outcome === "killed") meter.count("schedule_faults_total");
}

/** True if the schedule still counts the run as open. */
export async function isRunOpen(engine: Engine, { schedule, scheduleId, run }: NoteRun): Promise<boolean> {
  const stored = await readSchedule(engine, schedule);
  return stored?.schedule.id === scheduleId && stored.state.open.some(({ key }) => key === run);
}
