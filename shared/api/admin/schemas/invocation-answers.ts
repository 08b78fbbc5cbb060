/** The response schema of one invocation for the OpenAPI document; it must satisfy its counterpart in `api/wire`. */
import * as z from "zod";
import { END_OUTCOMES } from "../../../core/invocation/end-outcome.ts";
import type {
  AttemptFailureBody,
  AttemptSpanBody,
  EntryBody,
  InvocationBody,
  MismatchBody,
  PauseBody,
  UsageBody,
  ValueBody,
  WaitBody,
} from "../../wire/invocation.ts";

const text = z.string();
const maybeText = text.exactOptional();
const whole = z.int();
const moment = text.meta({ format: "date-time" });

const Failure = z
  .looseObject({ error_code: text, code: whole, message: text, at: moment, deployment_id: maybeText })
  .meta({ id: "AttemptFailure" }) satisfies z.ZodType<Partial<AttemptFailureBody>>;

const WAIT_KINDS = [
  "schedule",
  "key",
  "retry",
  "circuit",
  "resume",
  "driver",
  "attempt",
  "call",
  "attach",
  "timer",
  "promise",
  "awakeable",
  "signal",
  "command",
] as const;

export const Wait: z.ZodType<Partial<WaitBody>> = z
  .object({
    kind: z.enum(WAIT_KINDS),
    since: moment.describe("When the command was stored, or when the invocation came into its status."),
    until: moment.exactOptional().describe("When the wait ends by itself."),
    attempt: whole.exactOptional(),
    failure: Failure.exactOptional(),
    deployment_id: maybeText,
    silent_since: moment.exactOptional(),
    step: z
      .object({ name: text, since: moment, others: whole.exactOptional() })
      .exactOptional()
      .describe("The step (`run`) that the running attempt is at, and how many other steps run beside it."),
    place: whole.exactOptional().describe("The place in the queue of the key; 1 is next."),
    awakeable_id: maybeText,
    name: maybeText,
    type: maybeText,
    target: maybeText,
    invocation_id: maybeText.describe("The called or attached invocation, or the holder of the key."),
    status: maybeText.describe(
      "The status of `invocation_id`; absent if that invocation was not read or does not exist.",
    ),
    waits_for: z.lazy(() => z.array(Wait)).exactOptional(),
  })
  .meta({ id: "Wait" }) as z.ZodType<Partial<WaitBody>>;

export const Pause = z
  .object({
    reason: z.enum(["order", "failure", "process-ends"]),
    at: moment,
    by: maybeText.describe("The operator who gave the order, if one was authenticated."),
    failure: Failure.exactOptional(),
  })
  .meta({ id: "Pause" }) satisfies z.ZodType<Partial<PauseBody>>;

const Value = z
  .object({
    size: whole.describe("The bytes of the whole value."),
    text: maybeText.describe("The value, if it is UTF-8."),
    base64: maybeText.describe("The value, if it is not."),
    cut: z.literal(true).exactOptional().describe("Only the beginning of the value is here, or nothing of it."),
  })
  .meta({ id: "Value" }) satisfies z.ZodType<ValueBody>;

const side = { deployment_id: text, revision: whole.exactOptional(), address: maybeText };

const JournalMismatch = z
  .object({
    entry: whole.describe("The index of the entry that differs."),
    rows: z.array(z.object({ entry: whole, recorded: maybeText, offered: maybeText })),
    journal: z
      .object({ ...side, at: moment })
      .exactOptional()
      .describe("The deployment that recorded the entry, and the moment. Absent if the deployment is unknown."),
    code: z.object(side).describe("The deployment whose code differs."),
    ways_out: z.array(
      z.object({ action: z.enum(["restore", "move", "restart", "kill"]), text, commands: z.array(text) }),
    ),
  })
  .meta({ id: "JournalMismatch" }) satisfies z.ZodType<MismatchBody>;

const Entry = z
  .object({
    index: whole,
    type: text,
    at: moment.describe("The moment when the server received the command, or learned of the result."),
    at_or_before: z
      .literal(true)
      .exactOptional()
      .describe("Present if the moment of receipt is unknown: `at` is the later moment when the entry was stored."),
    name: maybeText,
    key: maybeText,
    target: maybeText,
    invocation_id: maybeText,
    signal: maybeText,
    wake_at: moment.exactOptional(),
    completes: whole.exactOptional(),
    failed: z.literal(true).exactOptional(),
    value: Value.exactOptional().describe("With `values=true`, on an entry that has a value."),
  })
  .meta({ id: "Entry" }) satisfies z.ZodType<EntryBody>;

const AttemptSpan = z
  .object({ attempt: whole, started_at: moment, ended_at: moment, entry: whole, deployment_id: maybeText })
  .meta({ id: "AttemptSpan" }) satisfies z.ZodType<AttemptSpanBody>;

const Usage = z
  .object({
    items: whole,
    bytes: whole.describe("The bytes of the items, as the table charges for them."),
    write_units: whole.describe("Write units of the table and its indexes, at least."),
    exchanges: whole.describe("Requests to deployments, at least."),
    exchange_ms: whole.describe("The time of those exchanges whose beginning is known."),
  })
  .meta({ id: "Usage" }) satisfies z.ZodType<UsageBody>;

/** The main members of an invocation; `InvocationBody` has the others. */
export const Invocation = z
  .looseObject({
    id: text,
    target: text,
    target_service_name: text,
    target_service_key: maybeText,
    target_handler_name: text,
    status: text,
    created_at: moment,
    modified_at: moment,
    completed_at: moment.exactOptional(),
    outcome: z.enum(END_OUTCOMES).exactOptional().describe("How a completed invocation ended."),
    pinned_deployment_id: maybeText,
    deployment: z
      .object({ id: text, address: maybeText })
      .exactOptional()
      .describe("Where the invocation runs, or where its next attempt goes."),
    attempts: whole.describe(
      "All attempts since the acceptance: the failed ones, and each replay after a wait or a pause.",
    ),
    waits_for: z.array(Wait).exactOptional().describe("Present for an open invocation."),
    pause: Pause.exactOptional(),
    mismatch: JournalMismatch.exactOptional().describe("Present if the last failure is RT0016."),
    completion_retention: text,
    journal_retention: text,
    entry_count: whole.describe("The entries of the journal; `entries` has those that the request selects."),
    entries: z.array(Entry),
    attempt_spans: z.array(AttemptSpan),
    usage: Usage.exactOptional().describe("Absent once the journal is deleted."),
  })
  .meta({ id: "Invocation" }) satisfies z.ZodType<Partial<Omit<InvocationBody, "waits_for" | "pause" | "mismatch">>>;
