/** Runs the schedules of a process that owns its store: it keeps the next moments in memory and advances what is due. */
import type { Engine } from "../engine.ts";
import type { Clock } from "../ports/clock.ts";
import type { ScheduleWake, ScheduleWakes } from "../ports/schedules.ts";
import { dueOf } from "../../core/schedules/decide.ts";
import { readSchedules } from "../store/schedule-record.ts";
import { atMost } from "../bulkheads/at-most.ts";
import { SECOND_MS } from "../../core/model/time-units.ts";
import { advanceSchedule } from "./advance-schedule.ts";

const AGAIN_MS = SECOND_MS;
const TOGETHER = 16;
/** A wait ends after this time at the latest, so that a clock that was set delays no tick for long. */
const LOOK_EVERY_MS = 60 * SECOND_MS;

/** Wakes in memory. They are lost with the process; the next one orders them anew from the table. */
export class MemoryWakes implements ScheduleWakes {
  readonly #clock: Clock;
  readonly #dueAtMs = new Map<string, number>();
  #look = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  at({ schedule, atMs }: ScheduleWake): Promise<void> {
    this.#dueAtMs.set(schedule, Math.min(atMs, this.#dueAtMs.get(schedule) ?? Infinity));
    this.#look.abort();
    return Promise.resolve();
  }

  /** Ends a wait, because the clock was set. */
  look(): void {
    this.#look.abort();
  }

  /** Waits until at least one wake is due. @returns the due ones; none if the signal aborts */
  async due(signal: AbortSignal): Promise<readonly ScheduleWake[]> {
    const stop = (): void => this.#look.abort();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        this.#look = new AbortController();
        const due = this.#take(this.#clock.nowMs());
        if (due.length > 0) return due;
        const leftMs = Math.min(...this.#dueAtMs.values()) - this.#clock.nowMs();
        // Without a wake, only an order ends the wait.
        if (leftMs === Infinity) await aborted(this.#look.signal);
        else await this.#clock.sleep(Math.min(leftMs, LOOK_EVERY_MS), this.#look.signal);
      }
      return [];
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #take(nowMs: number): readonly ScheduleWake[] {
    const due = [...this.#dueAtMs].filter(([, atMs]) => atMs <= nowMs);
    for (const [schedule] of due) this.#dueAtMs.delete(schedule);
    return due.map(([schedule, atMs]) => ({ schedule, atMs }));
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Runs until the signal aborts. Reads the table once, and again only if that read failed. */
export async function runSchedules(engine: Engine, wakes: MemoryWakes, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await orderAll(engine, wakes))) await engine.clock.sleep(AGAIN_MS, signal);
  for (let due = await wakes.due(signal); due.length > 0; due = await wakes.due(signal))
    await atMost(TOGETHER, due, async (wake) => await advanceOrLater(engine, wakes, wake));
}

async function orderAll(engine: Engine, wakes: MemoryWakes): Promise<boolean> {
  try {
    for (const { schedule, state } of await readSchedules(engine)) {
      const atMs = dueOf(schedule, state);
      if (atMs !== undefined) await wakes.at({ schedule: schedule.name, atMs });
      // The note of an end may have been lost with the former process, so a blocked schedule is looked at, too.
      else if (state.open.length > 0) await wakes.at({ schedule: schedule.name, atMs: engine.clock.nowMs() });
    }
    return true;
  } catch (error) {
    engine.log.write("schedules.read-failed", { error: String(error) });
    return false;
  }
}

async function advanceOrLater(engine: Engine, wakes: MemoryWakes, wake: ScheduleWake): Promise<void> {
  const { schedule } = wake;
  try {
    // In memory a schedule has one wake, so each advance may order the next.
    await advanceSchedule(engine, schedule, { wake, isAgain: true });
  } catch (error) {
    engine.log.write("schedule.advance-failed", { schedule, error: String(error) });
    await wakes.at({ schedule, atMs: engine.clock.nowMs() + AGAIN_MS });
  }
}
