/** Converts the wake of a schedule to text and back, for queues and timers that transport text. */
import { SCHEDULE_NAME } from "../../core/schedules/schedule.ts";
import type { ScheduleWake } from "./schedules.ts";

const BEGINNING = '{"schedule":';

/** The text is ASCII, as names of schedules are. */
export function bodyOfScheduleWake({ schedule, atMs }: ScheduleWake): string {
  return JSON.stringify({ schedule, atMs });
}

/** @returns undefined for any other text, because every sender with access to the queue can write any text */
export function scheduleWakeOfBody(body: string): ScheduleWake | undefined {
  if (!body.startsWith(BEGINNING)) return undefined;
  try {
    const { schedule, atMs } = JSON.parse(body) as { readonly schedule?: unknown; readonly atMs?: unknown };
    if (typeof schedule !== "string" || !SCHEDULE_NAME.test(schedule)) return undefined;
    return typeof atMs === "number" && Number.isFinite(atMs) ? { schedule, atMs } : undefined;
  } catch {
    return undefined;
  }
}
