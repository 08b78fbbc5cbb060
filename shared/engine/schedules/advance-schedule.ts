/** Lets a schedule do what is due: ticks, those that wait, backfills; and orders the wake for what comes next. */
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import { MINUTE_MS, SECOND_MS } from "../../core/model/time-units.ts";
import { decide, type Decision } from "../../core/schedules/decide.ts";
import { type EndedRun, type ScheduleState, withoutOpen } from "../../core/schedules/schedule-state.ts";
import type { Engine } from "../engine.ts";
import { cancel } from "../operate/orders.ts";
import type { SchedulePorts, ScheduleWake } from "../ports/schedules.ts";
import { readSchedule, type StoredSchedule, writeState } from "../store/schedule-record.ts";
import { hasExpired } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import { startRun } from "./start-run.ts";

/** One wake starts at most this many runs, so that one schedule leaves time for others; a next wake goes on. */
const TURNS_MAX = 100;
/** A tick whose handler is not registered is tried again after this time. */
const REFUSED_AGAIN_MS = 30 * SECOND_MS;
/** A tick that starts later than this after it was due counts as late. */
const LATE_MS = MINUTE_MS;
/** The end of an open run is looked for once the run is as old as this, because the note of its end may be lost. */
const LOOKED_FOR_MS = MINUTE_MS;

/** `wake`: the wake that led here. `isAgain`: an earlier process may have ended between a write and the order of the next wake. */
export interface Advance {
  readonly wake?: ScheduleWake;
  readonly isAgain?: boolean;
}

/**
 * Does nothing if the schedule is gone.
 * @throws StoreError
 */
export async function advanceSchedule(
  engine: Engine,
  name: string,
  { wake, isAgain = false }: Advance = {},
): Promise<void> {
  const ports = portsOf(engine);
  let stored = await readSchedule(engine, name);
  let hasChanged = isAgain;
  let isSettled = false;
  for (let turns = 0; stored !== undefined; turns++) {
    const nowMs = engine.clock.nowMs();
    const ground = { ...stored, nextCron: ports.calendar.next, nowMs };
    const decision = decide(ground);
    if (decision.kind === "wait") {
      if (!isSettled && isBlocked(stored.state)) {
        isSettled = true;
        const settled = await settleLost(engine, stored);
        if (settled !== stored) {
          stored = settled ?? (await readSchedule(engine, name));
          hasChanged = true;
          continue;
        }
      }
      // A wake that changes nothing orders no other one. Otherwise each wake that came twice would have successors for ever.
      const isEarly = wake !== undefined && wake.atMs === decision.untilMs;
      if (decision.untilMs !== undefined && (hasChanged || isEarly))
        await ports.wakes.at({ schedule: name, atMs: decision.untilMs });
      return;
    }
    if (turns >= TURNS_MAX) return await ports.wakes.at({ schedule: name, atMs: nowMs });
    stored = (await take(engine, stored, decision)) ?? (await readSchedule(engine, name));
    hasChanged = true;
  }
}

export function portsOf({ schedules }: Engine): SchedulePorts {
  if (schedules === undefined) throw new Error("this process has no ports of schedules");
  return schedules;
}

/** @returns the schedule as written; undefined if it has changed meanwhile */
async function take(
  engine: Engine,
  stored: StoredSchedule,
  decision: Exclude<Decision, { kind: "wait" }>,
): Promise<StoredSchedule | undefined> {
  switch (decision.kind) {
    case "note": {
      const written = await writeState(engine, stored, decision.state);
      if (written !== undefined) countNoted(engine, stored, decision.state);
      return written;
    }
    case "cancel":
      for (const { invocationId } of decision.runs) await cancel(engine, invocationId);
      return await writeState(engine, stored, decision.state);
    case "start": {
      const started = await startRun(engine, stored, decision.run, decision.state);
      if (started.kind === "changed") return undefined;
      if (started.kind === "refused") return await noteRefusal(engine, stored, started.reason);
      const { run, dueAtMs } = decision;
      if (run.kind === "tick") countTick(engine, started.kind, engine.clock.nowMs() - dueAtMs);
      return started.stored;
    }
  }
}

function countTick({ meter }: Engine, outcome: "started" | "exists", lateMs: number): void {
  if (!meter.isPriced) {
    meter.count("schedule_ticks_total", { outcome });
    meter.observe("schedule_lateness_seconds", lateMs / SECOND_MS);
  }
  if (lateMs > LATE_MS) meter.count("schedule_faults_total");
}

function countNoted({ meter, log }: Engine, { schedule, state: before }: StoredSchedule, state: ScheduleState): void {
  const [newest] = state.recent;
  if (newest === undefined || newest === before.recent[0]) return;
  const { outcome, momentMs, untilMs } = newest;
  if (!meter.isPriced) meter.count("schedule_ticks_total", { outcome });
  if (outcome === "missed") meter.count("schedule_faults_total");
  const event = outcome === "missed" ? "schedule.ticks-missed" : "schedule.tick-skipped";
  log.write(event, { schedule: schedule.name, momentMs, untilMs });
}

/** The tick stays due: it is tried again until its catch-up window is over. */
async function noteRefusal(
  engine: Engine,
  stored: StoredSchedule,
  message: string,
): Promise<StoredSchedule | undefined> {
  const atMs = engine.clock.nowMs();
  if (!engine.meter.isPriced) engine.meter.count("schedule_ticks_total", { outcome: "refused" });
  engine.meter.count("schedule_faults_total");
  engine.log.write("schedule.tick-refused", { schedule: stored.schedule.name, reason: message });
  return await writeState(engine, stored, {
    ...stored.state,
    error: { atMs, message, retryAtMs: atMs + REFUSED_AGAIN_MS },
  });
}

/** True if an open run may be what the schedule waits for. */
function isBlocked({ open, waiting, recent, backfills }: ScheduleState): boolean {
  return open.length > 0 && (waiting.length > 0 || backfills.length > 0 || recent[0]?.outcome === "skipped");
}

/**
 * Notes the ends of runs whose note was lost, for example because the table was restored.
 * @returns the schedule as given if no end was lost; undefined if it has changed meanwhile
 */
async function settleLost(engine: Engine, stored: StoredSchedule): Promise<StoredSchedule | undefined> {
  const nowMs = engine.clock.nowMs();
  let { state } = stored;
  for (const { key, invocationId, startedAtMs } of state.open) {
    if (nowMs - startedAtMs < LOOKED_FOR_MS) continue;
    const loaded = await loadHeads(engine, invocationId);
    const isGone = loaded === undefined || hasExpired(loaded, nowMs);
    const known = loaded && endOutcome(loaded.invocation, loaded.isCancelled);
    const outcome: EndedRun["outcome"] | undefined = known ?? (isGone ? "untracked" : undefined);
    if (outcome !== undefined) state = withoutOpen(state, key, { outcome, endedAtMs: nowMs }) ?? state;
  }
  return state === stored.state ? stored : await writeState(engine, stored, state);
}
