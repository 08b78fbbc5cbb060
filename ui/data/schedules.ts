/** Schedules, and orders to them. */
import type {
  BackfillBody,
  ScheduleBody,
  ScheduleRequest,
  TriggerAnswer,
} from "../../shared/api/contract/schedules.ts";
import { ask } from "./api.ts";
import { usePolled, type Polled } from "./polled.ts";

/** Ordered by name, as the server lists them. */
export function useSchedules(): Polled<readonly ScheduleBody[]> {
  return usePolled(
    "schedules",
    async (signal) => (await ask<{ schedules: readonly ScheduleBody[] }>("schedules", { signal })).schedules,
  );
}

/** @throws ApiProblem META0901 if the server refuses the plan, or the name exists */
export async function createSchedule(body: ScheduleRequest): Promise<ScheduleBody> {
  return await ask<ScheduleBody>("schedules", { method: "POST", body });
}

/** @throws ApiProblem META0901 if the range has no moment or too many */
export async function backfillSchedule(
  name: string,
  body: { readonly from: string; readonly to: string; readonly concurrency: number },
): Promise<BackfillBody> {
  return await ask<BackfillBody>(`${pathOf(name)}/backfill`, { method: "POST", body });
}

/** @throws ApiProblem */
export async function pauseSchedule(name: string, note: string): Promise<void> {
  await ask(`${pathOf(name)}/pause`, { method: "POST", body: note === "" ? {} : { note } });
}

/** @throws ApiProblem */
export async function resumeSchedule(name: string): Promise<void> {
  await ask(`${pathOf(name)}/resume`, { method: "POST", body: {} });
}

/** @throws ApiProblem META0901 if the handler takes no runs now */
export async function triggerSchedule(name: string): Promise<string> {
  return (await ask<TriggerAnswer>(`${pathOf(name)}/trigger`, { method: "POST", body: {} })).invocation_id;
}

/** @throws ApiProblem */
export async function deleteSchedule(name: string): Promise<void> {
  await ask(pathOf(name), { method: "DELETE" });
}

function pathOf(name: string): string {
  return `schedules/${encodeURIComponent(name)}`;
}
