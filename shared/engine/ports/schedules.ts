/** The ports of schedules: the calendar, which reads cron expressions and time zones, and wakes for schedules. */
import type { NextCron } from "../../core/schedules/moments.ts";

export interface Calendar {
  readonly next: NextCron;
  /** @returns what is wrong with a cron expression; undefined if nothing is */
  refusal(expression: string): string | undefined;
  /** True for the name of a time zone, such as `Europe/Berlin`. */
  knowsZone(name: string): boolean;
}

/** A hint to look at a schedule (I8). It may come twice, late, or never. */
export interface ScheduleWake {
  /** The name of the schedule. */
  readonly schedule: string;
  /** The moment for which the wake was ordered. A wake that comes before it is ordered again. */
  readonly atMs: number;
}

export interface ScheduleWakes {
  /** Resolves once the wake is ordered. A moment in the past brings the wake at once. */
  at(wake: ScheduleWake): Promise<void>;
}

export interface SchedulePorts {
  readonly calendar: Calendar;
  readonly wakes: ScheduleWakes;
  /** The shortest time between two moments of a schedule, in milliseconds. */
  readonly intervalMinMs: number;
}
