/** The forms that make a schedule and run the moments of a range, and the requests that they make. */
import type { ScheduleRequest } from "../../shared/api/contract/schedules.ts";

export interface ScheduleForm {
  readonly name: string;
  readonly service: string;
  readonly handler: string;
  /** True if the service has keys. */
  readonly isKeyed: boolean;
  readonly key: string;
  readonly timing: "cron" | "interval";
  readonly cron: string;
  readonly timeZone: string;
  readonly interval: string;
  readonly overlap: NonNullable<ScheduleRequest["overlap"]>;
  /** JSON, or an empty text for no input. */
  readonly input: string;
}

export const NEW_SCHEDULE: ScheduleForm = {
  name: "",
  service: "",
  handler: "",
  isKeyed: false,
  key: "",
  timing: "cron",
  cron: "",
  timeZone: "",
  interval: "",
  overlap: "skip",
  input: "",
};

/** The server checks names and times; the form only refuses to send an incomplete request, and an input that is no JSON. */
export function missingIn(form: ScheduleForm): string | undefined {
  if (form.name.trim() === "") return "Name the schedule.";
  if (form.service === "") return "Choose a handler.";
  if (form.isKeyed && form.key === "") return "Name the key.";
  if (form.timing === "cron" && form.cron.trim() === "") return "Write a cron line.";
  if (form.timing === "interval" && form.interval.trim() === "") return "Write an interval.";
  return isJson(form.input) ? undefined : "The input is no JSON.";
}

function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The input goes as its bytes, because a number that JavaScript cannot hold would change on the way. */
export function scheduleRequest({ service, handler, key, isKeyed, overlap, ...form }: ScheduleForm): ScheduleRequest {
  const [input, zone] = [form.input.trim(), form.timeZone.trim()];
  return {
    name: form.name.trim(),
    service,
    handler,
    ...(isKeyed && { key }),
    ...(form.timing === "interval" && { interval: form.interval.trim() }),
    ...(form.timing === "cron" && { cron: form.cron.trim() }),
    ...(form.timing === "cron" && zone !== "" && { time_zone: zone }),
    overlap,
    ...(input !== "" && { input_base64: base64(input), content_type: "application/json" }),
  };
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** The moments are as the field of the browser writes them: `2026-01-31T10:00`, without a zone. */
export interface BackfillForm {
  readonly from: string;
  readonly to: string;
  readonly concurrency: number;
}

/** @returns undefined if a moment is missing or invalid */
export function backfillRequest(
  { from, to, concurrency }: BackfillForm,
  isUtc: boolean,
): { readonly from: string; readonly to: string; readonly concurrency: number } | undefined {
  const [fromMs, toMs] = [from, to].map((moment) => (moment === "" ? NaN : Date.parse(isUtc ? `${moment}Z` : moment)));
  if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return undefined;
  return { from: new Date(fromMs!).toISOString(), to: new Date(toMs!).toISOString(), concurrency };
}
