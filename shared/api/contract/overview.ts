/** The answer of `GET /internal/overview`: what needs an operator, and the counts of the environment. */
import * as z from "zod";
import { ATTENTION_KINDS } from "../../core/query/attention.ts";
import { briefError, PauseBody, summary, WaitBody } from "./invocations.ts";
import { type Answer, datetime, maybeText, text, whole } from "./members.ts";

const attention = z.object({
  ...summary,
  kind: z.enum(ATTENTION_KINDS),
  since: datetime.describe("Since when the invocation is what `kind` says."),
  waits_for: z.array(WaitBody),
  pause: PauseBody.exactOptional(),
});
export type AttentionBody = Answer<typeof attention>;

/** Invocations of one handler that are stuck by one cause. */
const cause = z.object({
  kind: z.enum(["paused", "failing"]),
  service: text,
  handler: text,
  /** Absent if no failure is stored, as after a pause by order. */
  cause: maybeText.describe("The value of `cause` of `GET /invocations`."),
  /** The code and the first line of the message. */
  text: maybeText.describe("The failure without ids and numbers."),
  /** The error of one of them. */
  error: briefError,
  /** The earliest last failure. */
  since: datetime,
  count: whole.describe("The invocations with this cause, among those that were read."),
  /** How many invocations of the handler in this state were read, of how many. If the two are equal, `count` is exact. */
  looked_at: whole,
  among: whole.describe("All invocations of the handler in this state."),
});
export type CauseBody = Answer<typeof cause>;

const held = z.object({
  deployment_id: text,
  service: text,
  open_since: datetime,
  next_attempt_at: datetime,
  reason: text,
  /** The invocations whose next attempt waits for the circuit. */
  waiting: whole,
});
export type HeldBody = Answer<typeof held>;

const minute = z.object({
  /** The beginning of the minute. */
  at: datetime,
  succeeded: whole,
  failed: whole,
  cancelled: whole,
  killed: whole,
});
export type EndedMinuteBody = Answer<typeof minute>;

const ended = z.object({
  /** The start of the process, or the beginning of the first of `minutes` if that is later. */
  since: datetime.describe("When the counting began."),
  /** Sixty minutes, oldest first. */
  minutes: z.array(minute),
});
export type EndedBody = Answer<typeof ended>;

export const OverviewBody = z
  .object({
    attention: z.array(attention).describe("At most twelve invocations that need an operator, worst first."),
    /** Paused ones first, the largest targets first. */
    causes: z.array(cause).describe("Paused and failing invocations by handler and cause, at most 24 groups."),
    circuits: z.array(held).describe("The open circuits with the number of invocations that wait for them."),
    /**
     * One that was accepted within the last minutes is missing until it is parked, driven by the process that answers, or seen
     * by the sweeper.
     */
    open: z.record(text, whole).describe("The open invocations by status."),
    overdue: whole.describe("The open invocations whose moment has passed without a driver."),
    at_least: z.literal(true).exactOptional().describe("More invocations are open than were counted."),
    ended: ended
      .exactOptional()
      .describe("The ends of the last hour, by minutes; absent where several processes end invocations."),
  })
  .meta({ id: "Overview" });
export type OverviewBody = Answer<typeof OverviewBody>;
