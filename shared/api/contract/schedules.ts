/** Schedules: their requests and answers. */
import * as z from "zod";
import {
  type Answer,
  maybeText,
  moment,
  optional,
  queryFlag,
  type RequestBody,
  text,
  texts,
  whole,
} from "./members.ts";

const OVERLAPS = ["skip", "buffer-one", "buffer-all", "cancel-running", "allow"] as const;
const at = z.iso.datetime({ offset: true });

const planMembers = {
  service: text,
  handler: text,
  key: optional(text).describe("The key of the object, or the id of the workflow; absent for a plain service."),
  scope: optional(text).describe("The scope of the runs."),
  limit_key: optional(text).describe("The limit key of the runs, in their scope."),
  input: z.unknown().optional().describe("The input as JSON; its content type is application/json."),
  input_base64: optional(text).describe("The input as bytes in base64, in place of `input`."),
  content_type: optional(text).describe("The content type of `input_base64`; application/octet-stream by default."),
  headers: optional(texts).describe("Headers that each run gets."),
  cron: optional(text).describe("Five fields, or six with seconds first; names, `L` and `#` are allowed."),
  time_zone: optional(text).describe("The time zone of `cron`, by its IANA name; UTC by default."),
  interval: optional(text).describe("A duration such as `15m`, in place of `cron`."),
  jitter: optional(text).describe("Each tick comes up to this duration later than its moment; `0s` by default."),
  start: optional(at).describe("No moment before this one counts. An interval counts from it."),
  end: optional(at).describe("No moment after this one counts."),
  count: optional(whole).describe("The most ticks; unlimited by default."),
  overlap: optional(z.enum(OVERLAPS)).describe("What a tick does while an earlier run is open; `skip` by default."),
  catch_up: optional(text).describe("A tick that is later than this duration is left out; `1h` by default."),
};

export const ChangeScheduleBody = z.strictObject({ name: optional(text), ...planMembers }).meta({ id: "PutSchedule" });
export const NewScheduleBody = z.strictObject({ name: text, ...planMembers }).meta({ id: "CreateSchedule" });
export type ScheduleRequest = RequestBody<typeof NewScheduleBody>;

export const ScheduleSetBody = z
  .strictObject({ schedules: z.array(NewScheduleBody).max(1_000) })
  .meta({ id: "ScheduleSet" });
export type ScheduleSetRequest = RequestBody<typeof ScheduleSetBody>;

export const ApplyQuery = z.object({ dry_run: queryFlag("Only says what would change.") });

export const PauseScheduleBody = z
  .strictObject({ note: optional(z.string().max(500)).describe("Why, for those who look at the schedule.") })
  .meta({ id: "PauseSchedule" });

/** Has no members. A request without JSON is refused, because a page of any origin could send it. */
export const ResumeScheduleBody = z.strictObject({}).meta({ id: "ResumeSchedule" });

export const TriggerBody = z
  .strictObject({
    request_id: optional(
      z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "expected 1 to 64 letters, digits, '_' and '-'"),
    ).describe("A repeated trigger with the same id is the same trigger."),
  })
  .meta({ id: "TriggerSchedule" });

export const BackfillRequest = z
  .strictObject({
    from: at.describe("The first moment that may run."),
    to: at.describe("The first moment that does not run any more."),
    concurrency: optional(z.int().min(1).max(10)).describe("The most runs at the same time; 1 by default."),
  })
  .meta({ id: "BackfillSchedule" });

const run = z.object({
  /** Names the run within the schedule. */
  run: text,
  kind: z.enum(["tick", "trigger", "backfill"]),
  moment,
  outcome: z.enum(["open", "succeeded", "failed", "cancelled", "killed", "skipped", "missed", "exists", "untracked"]),
  invocation_id: maybeText,
  started_at: moment.exactOptional(),
  ended_at: moment.exactOptional(),
  /** For the outcome `missed`: the first moment that is not missed any more. */
  missed_until: moment.exactOptional(),
});
export type ScheduleRunBody = Answer<typeof run>;

const backfill = z.object({
  id: text,
  from: moment,
  to: moment,
  total: whole,
  started: whole,
  concurrency: whole,
  created_at: moment,
});
export type BackfillBody = Answer<typeof backfill>;
export const BackfillAnswer = backfill.meta({ id: "Backfill" });

export const ScheduleBody = z
  .object({
    name: text,
    id: text,
    /** Grows with each change of what runs or when. */
    generation: whole,
    service: text,
    handler: text,
    key: maybeText,
    scope: maybeText,
    limit_key: maybeText,
    headers: texts,
    cron: maybeText,
    time_zone: maybeText,
    interval: maybeText,
    jitter: text,
    start: moment.exactOptional(),
    end: moment.exactOptional(),
    count: whole.exactOptional(),
    overlap: z.enum(OVERLAPS),
    catch_up: text,
    created_at: moment,
    changed_at: moment,
    status: z.enum(["active", "paused", "failing", "ended"]),
    pause: z.object({ at: moment, note: maybeText, by: maybeText }).exactOptional(),
    error: z.object({ at: moment, message: text, retry_at: moment }).exactOptional(),
    /** The ticks of this generation that have started. */
    started: whole,
    /** The next moments, up to ten; a list shows the first. */
    next: z.array(moment),
    /** Moments whose ticks wait for the end of an earlier run. */
    waiting: z.array(moment),
    backfills: z.array(backfill),
    /** Open runs, and the last runs that have ended or were left out, the newest first. */
    runs: z.array(run),
    /** In the answer for one schedule: the input, if it is JSON. */
    input: z.unknown().optional(),
    /** In the answer for one schedule: an input that is no JSON. */
    input_base64: maybeText,
  })
  .meta({ id: "Schedule" });
export type ScheduleBody = Answer<typeof ScheduleBody>;
export const Schedules = z.object({ schedules: z.array(ScheduleBody) }).meta({ id: "Schedules" });

export const AppliedSchedules = z
  .object({
    created: z.array(text),
    changed: z.array(text),
    unchanged: z.array(text),
    deleted: z.array(text),
    dry_run: z.boolean(),
  })
  .meta({ id: "AppliedSchedules" });
export type AppliedSchedules = Answer<typeof AppliedSchedules>;

export const TriggerAnswer = z
  .object({ invocation_id: text, status: z.enum(["accepted", "previously-accepted"]) })
  .meta({ id: "TriggeredRun" });
export type TriggerAnswer = Answer<typeof TriggerAnswer>;
