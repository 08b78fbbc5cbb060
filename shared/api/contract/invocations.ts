/** One invocation with its journal, and the rows of a list of invocations. */
import { WAIT_KINDS } from "../../core/query/wait-kinds.ts";
import * as z from "zod";
import { END_OUTCOMES } from "../../core/invocation/end-outcome.ts";
import { PRESENTED } from "../../core/query/status-words.ts";
import {
  abridged,
  type Answer,
  datetime,
  maybeText,
  moment,
  queryFlag,
  status,
  text,
  texts,
  whole,
} from "./members.ts";

/** The largest part of one value that an answer contains, before its encoding. */
export const VALUE_MAX_BYTES = 16 * 1024;
/** The largest size of all values of an answer together, after their encoding. */
export const VALUES_MAX_BYTES = 256 * 1024;
/**
 * In the answer to a request with the parameter `limit`, all entries together have at most this many characters, unless the first
 * entry alone is larger. The bound exists because an answer on AWS has at most 6 MB.
 */
export const ENTRIES_MAX_CHARS = 2 * 1024 * 1024;

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, "expected a whole number")
  .transform(Number);

export const ShowInvocationQuery = z.object({
  values: queryFlag(
    `Shows the values of the entries, each up to ${VALUE_MAX_BYTES} bytes, and ${VALUES_MAX_BYTES} bytes in all. With limit=1, the one value may have all of these bytes.`,
  ),
  from: wholeNumber.optional().describe("The index of the first entry; 0 unless given."),
  limit: wholeNumber
    .optional()
    .describe(`The most entries; all unless given. With it, the entries take at most ${ENTRIES_MAX_CHARS} characters.`),
});

const command = { name: maybeText, type: maybeText };

/** `error_code` is an RT code, such as RT0007, and `code` the protocol's error code. */
const Failure = abridged(
  "AttemptFailure",
  {
    error_code: text,
    code: whole,
    message: text,
    at: moment,
    /** The deployment of the failed attempt; absent if the invocation had a pin when the attempt failed. */
    deployment_id: maybeText,
  },
  {
    stacktrace: maybeText,
    /** When the failed attempt began; absent if that is unknown. */
    started_at: moment.exactOptional(),
    /** The number of the failed attempt; absent if that is unknown. */
    attempt: whole.exactOptional(),
    /** How many consecutive attempts have failed in this way, in `events` from this one on, in `last_failure` up to it. */
    times: whole.exactOptional(),
    /** In `events`, if `times` is above 1: the last one of these attempts. */
    last: z.object({ attempt: whole, started_at: moment, at: moment }).exactOptional(),
    related_command: z.object({ index: whole.exactOptional(), ...command }).exactOptional(),
    /** For RT0016 only: the recorded command, and the different command that the current code offered. */
    mismatch: z
      .object({
        /** The index among the commands; the input is 0. */
        index: whole,
        /** The index among all entries, as in `entries` and in `from` of a restart. */
        entry: whole.exactOptional(),
        deployment_id: text,
        /** Absent if the journal has no command at this index. */
        recorded: z.object(command).exactOptional(),
        offered: z.object(command),
        /** The first differing field, if both commands have the same type. */
        field: z.object({ name: text, recorded: text, offered: text }).exactOptional(),
      })
      .exactOptional(),
  },
);
export type AttemptFailureBody = Answer<typeof Failure>;

const wait = {
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
  place: whole.exactOptional().describe("The place in the queue of the key, or in the line of the pool; 1 is next."),
  waiting: whole.exactOptional().describe("Those who wait in the line of the pool; at most 1,000 are counted."),
  oldest_since: moment.exactOptional().describe("Since when the oldest of them waits."),
  places: whole.exactOptional().describe("The places of the pool."),
  taken: whole.exactOptional().describe("How many of the places are taken."),
  awakeable_id: maybeText,
  /** The name of a pool, a promise, a signal or a run; the reason of a circuit. */
  name: maybeText,
  type: maybeText,
  target: maybeText,
  invocation_id: maybeText.describe("The called or attached invocation, or the holder of the key."),
  status: status
    .exactOptional()
    .describe("The status of `invocation_id`; absent if that invocation was not read or does not exist."),
};

/** One thing that an open invocation waits for. Which members are present depends on `kind`. */
export interface WaitBody extends Answer<z.ZodObject<typeof wait>> {
  /** The waits of the invocation `invocation_id`. */
  readonly waits_for?: readonly WaitBody[];
}
export const WaitBody: z.ZodType<WaitBody> = z
  .object({ ...wait, waits_for: z.lazy(() => z.array(WaitBody)).exactOptional() })
  .meta({ id: "Wait" });

export const PauseBody = z
  .object({
    reason: z.enum(["order", "failure", "process-ends"]),
    at: moment,
    by: maybeText.describe("The operator who gave the order, if one was authenticated."),
    failure: Failure.exactOptional(),
  })
  .meta({ id: "Pause" });
export type PauseBody = Answer<typeof PauseBody>;

const Value = z
  .object({
    size: whole.describe("The bytes of the whole value."),
    text: maybeText.describe("The value, if it is UTF-8."),
    base64: maybeText.describe("The value, if it is not."),
    cut: z.literal(true).exactOptional().describe("Only the beginning of the value is here, or nothing of it."),
  })
  .meta({ id: "Value" });
export type ValueBody = Answer<typeof Value>;

/** `revision` and `address` are absent if the deployment is gone. */
const side = {
  deployment_id: text,
  /** The present revision of the invocation's service on the deployment; an earlier revision may have recorded the entry. */
  revision: whole.exactOptional(),
  address: maybeText,
};
export type MismatchSideBody = Answer<z.ZodObject<typeof side>>;

/** A journal mismatch (RT0016): both sides around the first difference, and the ways out. */
const JournalMismatch = z
  .object({
    entry: whole.describe("The index of the entry that differs."),
    /**
     * `offered` is absent after the difference, because the code did not get that far; `recorded` is absent after the end
     * of the journal.
     */
    rows: z.array(z.object({ entry: whole, recorded: maybeText, offered: maybeText })),
    journal: z
      .object({ ...side, at: moment })
      .exactOptional()
      .describe("The deployment that recorded the entry, and the moment. Absent if the deployment is unknown."),
    code: z.object(side).describe("The deployment whose code differs."),
    ways_out: z.array(
      z.object({
        action: z.enum(["restore", "move", "restart", "kill"]),
        text,
        /** Commands of `stepwell`. A part in angle brackets is for the operator to fill in. */
        commands: z.array(text),
      }),
    ),
  })
  .meta({ id: "JournalMismatch" });
export type MismatchBody = Answer<typeof JournalMismatch>;

const Entry = z
  .object({
    /** The index of the input is 0. A restart takes such an index as `from`. */
    index: whole,
    type: text,
    /** Entries that came in one piece, such as those of an answer of AWS Lambda, have the same moment. */
    at: moment.describe("The moment when the server received the command, or learned of the result."),
    at_or_before: z
      .literal(true)
      .exactOptional()
      .describe("Present if the moment of receipt is unknown: `at` is the later moment when the entry was stored."),
    name: maybeText,
    /** The state key or the promise that the command names. */
    key: maybeText,
    /** The target of a call, a send or an attach. */
    target: maybeText,
    /**
     * The invocation that a call or a send invoked, to which a signal goes, or which an attach names by its id. On a
     * notification, the id that the notification contains.
     */
    invocation_id: maybeText,
    /** The name or the index of a signal, or the id of an awakeable. */
    signal: maybeText,
    wake_at: moment.exactOptional(),
    /** The index of the entry whose command this notification completes. */
    completes: whole.exactOptional(),
    /** Present on a notification, and on an Output, that contains a failure. */
    failed: z.literal(true).exactOptional(),
    value: Value.exactOptional().describe("With `values=true`, on an entry that has a value."),
  })
  .meta({ id: "Entry" });
export type EntryBody = Answer<typeof Entry>;

/** An attempt that stored entries or ended the invocation. Other attempts are in `events`. */
const AttemptSpan = z
  .object({
    attempt: whole,
    started_at: moment,
    ended_at: moment,
    /** The index of the first entry that the attempt stored. */
    entry: whole,
    deployment_id: maybeText,
  })
  .meta({ id: "AttemptSpan" });
export type AttemptSpanBody = Answer<typeof AttemptSpan>;

/** The storage, writes and exchanges of the invocation so far. */
const Usage = z
  .object({
    items: whole,
    bytes: whole.describe("The bytes of the items, as the table charges for them."),
    write_units: whole.describe("Write units of the table and its indexes, at least."),
    exchanges: whole.describe("Requests to deployments, at least."),
    exchange_ms: whole.describe("The time of those exchanges whose beginning is known."),
  })
  .meta({ id: "Usage" });
export type UsageBody = Answer<typeof Usage>;

const ended = {
  completed_at: datetime.exactOptional(),
  outcome: z.enum(END_OUTCOMES).exactOptional().describe("How a completed invocation ended."),
};

export const InvocationBody = abridged(
  "Invocation",
  {
    id: text,
    target: text,
    target_service_name: text,
    target_service_key: maybeText,
    scope: maybeText,
    limit_key: maybeText,
    target_handler_name: text,
    status,
    created_at: moment,
    modified_at: moment,
    completed_at: moment.exactOptional(),
    outcome: ended.outcome,
    pinned_deployment_id: maybeText,
    deployment: z
      .object({ id: text, address: maybeText })
      .exactOptional()
      .describe("Where the invocation runs, or where its next attempt goes."),
    attempts: whole.describe(
      "All attempts since the acceptance: the failed ones, and each replay after a wait or a pause.",
    ),
    waits_for: z.array(WaitBody).exactOptional().describe("Present for an open invocation."),
    pause: PauseBody.exactOptional(),
    mismatch: JournalMismatch.exactOptional().describe("Present if the last failure is RT0016."),
    /** How long the result and the journal are kept after the end, as durations. */
    completion_retention: text,
    journal_retention: text,
    entry_count: whole.describe("The entries of the journal; `entries` has those that the request selects."),
    entries: z.array(Entry),
    attempt_spans: z.array(AttemptSpan),
    usage: Usage.exactOptional().describe("Absent once the journal is deleted."),
  },
  {
    idempotency_key: maybeText,
    /** The external caller, which the ingress authenticated. */
    created_by: maybeText,
    /** 0 to 9; absent if the request named none. */
    priority: whole.exactOptional(),
    /** The deadlines of the first attempt and of the end. */
    start_by: moment.exactOptional(),
    end_by: moment.exactOptional(),
    singleton_key: maybeText,
    invoked_by: z.object({ invocation_id: text, target: maybeText }).exactOptional(),
    /** The invocation from which an operator restarted this one. */
    restarted_from: maybeText,
    /** The last act of an operator; `restart` if a restart created this invocation. */
    last_action: z
      .object({ action: z.enum(["cancel", "kill", "pause", "resume", "restart"]), at: moment, by: maybeText })
      .exactOptional(),
    pinned_service_protocol_version: whole.exactOptional(),
    next_retry_at: moment.exactOptional(),
    wake_at: moment.exactOptional(),
    /** Present if the deployment accepted the running attempt and has sent nothing since. */
    silent_since: moment.exactOptional(),
    /** Present while the invocation waits for its key: its place, where 1 is next, and the holder of the key. */
    queue: z.object({ place: whole, held_by: maybeText }).exactOptional(),
    last_failure: Failure.exactOptional(),
    completion_failure: z
      .object({ code: whole, message: text, metadata: texts.exactOptional(), stacktrace: maybeText })
      .exactOptional(),
    /** The W3C trace context of the request that created the invocation. */
    traceparent: maybeText,
    /** The failed attempts. Consecutive ones with the same failure are one event, which counts them. */
    events: z.array(Failure),
  },
);
export type InvocationBody = Answer<typeof InvocationBody>;

/** A failure with its code; the message is cut to 300 characters. */
export const briefError = z.object({ code: text, message: text }).exactOptional();

/** With `details=false`, a row has only the members that the indexes contain. */
export const summary = {
  id: text,
  target: text,
  target_service_name: text,
  target_service_key: maybeText,
  scope: maybeText,
  limit_key: maybeText,
  target_handler_name: text,
  status: z.enum(PRESENTED),
  created_at: datetime,
  pinned_deployment_id: maybeText.describe(
    "Of a completed invocation, the deployment of its last attempt; absent with `details=false`.",
  ),
  ...ended,
  attempts: whole.exactOptional(),
  next_retry_at: datetime.exactOptional(),
  wake_at: datetime.exactOptional(),
  error: briefError.describe("The error of the last failed attempt, or of the end; the message is cut."),
};

const InvocationSummary = z
  .object({
    ...summary,
    /** These waits have no `waits_for` of their own. */
    waits_for: z.array(WaitBody).exactOptional().describe("With `waits=true`, for open invocations."),
  })
  .meta({ id: "InvocationSummary" });
export type InvocationSummaryBody = Answer<typeof InvocationSummary>;

export const InvocationListBody = z
  .object({
    invocations: z
      .array(InvocationSummary)
      .describe(
        "Newest first, unless `order=oldest`; pages of open invocations may continue with younger ones after the oldest.",
      ),
    next: maybeText.describe(
      "The value of `after` for the next page; present if more may follow, even if this page is not full or is empty.",
    ),
  })
  .meta({ id: "InvocationList" });
export type InvocationListBody = Answer<typeof InvocationListBody>;
