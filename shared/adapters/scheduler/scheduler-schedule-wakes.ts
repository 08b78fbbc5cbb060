/** Wakes of schedules: far ones by one-time schedules of EventBridge Scheduler, near ones by delayed messages. */
import type { Clock } from "../../engine/ports/clock.ts";
import { bodyOfScheduleWake } from "../../engine/ports/schedule-wake-body.ts";
import type { ScheduleWake, ScheduleWakes } from "../../engine/ports/schedules.ts";
import { type SchedulePlace, setOnce } from "./scheduler-timers.ts";

export interface SchedulerScheduleWakesOptions {
  readonly place: SchedulePlace;
  /** Takes the wakes that are due within `nearMs`. */
  readonly near: ScheduleWakes;
  readonly nearMs: number;
  /** A one-time schedule fires up to a minute after its time, so it fires this long before the wake; a delayed message does the rest. */
  readonly earlyMs: number;
  readonly clock: Clock;
}

export class SchedulerScheduleWakes implements ScheduleWakes {
  readonly #options: SchedulerScheduleWakesOptions;

  constructor(options: SchedulerScheduleWakesOptions) {
    this.#options = options;
  }

  /** @throws StoreError */
  async at(wake: ScheduleWake): Promise<void> {
    const { place, near, nearMs, earlyMs, clock } = this.#options;
    if (wake.atMs - clock.nowMs() <= nearMs) return await near.at(wake);
    // One moment of a schedule has one timer, however often it is ordered.
    const name = `${wake.schedule}.${wake.atMs}`;
    await setOnce(place, { name, fireAtMs: wake.atMs - earlyMs, body: bodyOfScheduleWake(wake) });
  }
}
