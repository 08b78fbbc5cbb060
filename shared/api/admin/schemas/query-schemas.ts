/** The schemas of the invocation list and of SQL statements, for the OpenAPI document. */
import * as z from "zod";
import { END_OUTCOMES } from "../../../core/invocation/end-outcome.ts";
import { ATTENTION_KINDS } from "../../../core/query/attention.ts";
import { PRESENTED } from "../../../core/query/status-words.ts";
import { Pause, Wait } from "./invocation-answers.ts";
import { LIST_FILTERS, LIST_ORDERS } from "../../wire/list-filters.ts";
import type { InvocationListBody, InvocationSummaryBody } from "../../wire/invocation.ts";
import type { ServiceCountsBody } from "../../wire/overview.ts";

const text = z.string();
const words = z.string().optional();

export const ListInvocationsQuery = z.object({
  ...Object.fromEntries(
    LIST_FILTERS.flatMap(({ parameter, description = "" }) =>
      parameter === undefined ? [] : [[parameter, words.describe(description)]],
    ),
  ),
  order: z
    .enum(LIST_ORDERS)
    .optional()
    .describe("`oldest` for the oldest first, only with open statuses; `newest` unless given."),
  details: words.describe(
    "`false` leaves out the details that the indexes do not show; they cost a read for each row.",
  ),
  waits: words.describe("`true` adds what each open invocation waits for, which costs a load for each open row."),
  limit: words.describe("The most invocations of the page, from 1 to 500; 100 unless given."),
  after: words.describe("The `next` of another page."),
});

const summary = {
  id: text,
  target: text,
  target_service_name: text,
  target_service_key: text.exactOptional(),
  target_handler_name: text,
  status: z.enum(PRESENTED),
  created_at: z.iso.datetime(),
  pinned_deployment_id: text
    .exactOptional()
    .describe("Of a completed invocation, the deployment of its last attempt; absent with `details=false`."),
  completed_at: z.iso.datetime().exactOptional(),
  outcome: z.enum(END_OUTCOMES).exactOptional().describe("How a completed invocation ended."),
  attempts: z.int().exactOptional(),
  next_retry_at: z.iso.datetime().exactOptional(),
  wake_at: z.iso.datetime().exactOptional(),
  error: z
    .object({ code: text, message: text })
    .exactOptional()
    .describe("The error of the last failed attempt, or of the end; the message is cut."),
};

type Shown<Body> = Omit<Body, "waits_for" | "pause">;

const InvocationSummary = z
  .object({ ...summary, waits_for: z.array(Wait).exactOptional().describe("With `waits=true`, for open invocations.") })
  .meta({ id: "InvocationSummary" }) satisfies z.ZodType<Shown<InvocationSummaryBody>>;

const count = z.int();

export const Overview = z
  .object({
    attention: z
      .array(
        z.object({
          ...summary,
          kind: z.enum(ATTENTION_KINDS),
          since: z.iso.datetime().describe("Since when the invocation is what `kind` says."),
          waits_for: z.array(Wait),
          pause: Pause.exactOptional(),
        }),
      )
      .describe("At most twelve invocations that need an operator, worst first."),
    causes: z
      .array(
        z.object({
          kind: z.enum(["paused", "failing"]),
          service: text,
          handler: text,
          cause: text.exactOptional().describe("The value of `cause` of `GET /invocations`."),
          text: text.exactOptional().describe("The failure without ids and numbers."),
          error: z.object({ code: text, message: text }).exactOptional(),
          since: z.iso.datetime(),
          count: count.describe("The invocations with this cause, among those that were read."),
          looked_at: count,
          among: count.describe("All invocations of the handler in this state."),
        }),
      )
      .describe("Paused and failing invocations by handler and cause, at most 24 groups."),
    circuits: z
      .array(
        z.object({
          deployment_id: text,
          service: text,
          open_since: z.iso.datetime(),
          next_attempt_at: z.iso.datetime(),
          reason: text,
          waiting: count,
        }),
      )
      .describe("The open circuits with the number of invocations that wait for them."),
    open: z.record(text, count).describe("The open invocations by status."),
    overdue: count.describe("The open invocations whose moment has passed without a driver."),
    at_least: z.literal(true).exactOptional().describe("More invocations are open than were counted."),
    ended: z
      .object({
        since: z.iso.datetime().describe("When the counting began."),
        minutes: z.array(
          z.object({ at: z.iso.datetime(), succeeded: count, failed: count, cancelled: count, killed: count }),
        ),
      })
      .exactOptional()
      .describe("The ends of the last hour, by minutes; absent where several processes end invocations."),
  })
  .meta({ id: "Overview" });

export const ServiceCounts = z
  .object({
    services: z
      .array(z.object({ service: text, open: count, failing: count, paused: count, failed: count.exactOptional() }))
      .describe("A service without any count may be missing. `failing` and `paused` are parts of `open`."),
    at_least: z.literal(true).exactOptional().describe("More invocations are open than were counted."),
    failed_since: z.iso
      .datetime()
      .exactOptional()
      .describe("Since when `failed` is counted; absent where several processes end invocations."),
  })
  .meta({ id: "ServiceCounts" }) satisfies z.ZodType<ServiceCountsBody>;

export const InvocationList = z
  .object({
    invocations: z
      .array(InvocationSummary)
      .describe(
        "Newest first, unless `order=oldest`; pages of open invocations may continue with younger ones after the oldest.",
      ),
    next: text
      .exactOptional()
      .describe(
        "The value of `after` for the next page; present if more may follow, even if this page is not full or is empty.",
      ),
  })
  .meta({ id: "InvocationList" }) satisfies z.ZodType<
  Omit<InvocationListBody, "invocations"> & { readonly invocations: readonly Shown<InvocationSummaryBody>[] }
>;

export const StatementBody = z
  .object({
    query: text.describe("One SELECT over the tables that `information_schema.columns` names."),
    columns: z.boolean().exactOptional().describe("The answer in JSON names the columns of the statement too."),
  })
  .meta({ id: "Statement" });

/** The answer if `accept` is exactly `application/json`; else the answer is an Arrow stream. */
export const StatementRows = z
  .object({
    columns: z.array(text).exactOptional().describe("The columns of the statement in their order, if asked for."),
    rows: z.array(z.record(text, z.unknown())).describe("Columns without a value are left out."),
  })
  .meta({ id: "StatementRows" });
