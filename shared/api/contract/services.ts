/** Services and their handlers: the answers that show them, and the requests that change, call and count them. */
import * as z from "zod";
import { parseDurationMs } from "../../core/model/duration.ts";
import {
  type Answer,
  datetime,
  duration,
  flag,
  maybeDuration,
  maybeText,
  optional,
  text,
  texts,
  whole,
} from "./members.ts";

export const notice = z.object({ code: maybeText, message: text });
export type NoticeBody = Answer<typeof notice>;

const retryPolicy = z.object({
  initial_interval: maybeDuration,
  exponentiation_factor: z.number().exactOptional(),
  /** On a service, null means no limit; on a handler, it means the service's value. */
  max_attempts: whole.nullable(),
  max_interval: maybeDuration,
  on_max_attempts: z.enum(["Pause", "Kill"]).exactOptional(),
});
export type RetryPolicyBody = Answer<typeof retryPolicy>;

/** An absent optional member means the service's value. */
export const HandlerBody = z
  .object({
    name: text,
    ty: z.enum(["Exclusive", "Shared", "Workflow"]).exactOptional(),
    documentation: maybeText,
    metadata: texts.exactOptional(),
    idempotency_retention: maybeDuration,
    workflow_completion_retention: maybeDuration,
    journal_retention: maybeDuration,
    inactivity_timeout: maybeDuration,
    abort_timeout: maybeDuration,
    start_within: maybeDuration,
    end_within: maybeDuration,
    enable_lazy_state: z.boolean().exactOptional(),
    public: z.boolean(),
    input_description: text,
    /** The media type of the input, or a pattern such as `text/*`; absent if the handler takes no body, or is older than this member. */
    input_content_type: maybeText,
    output_description: text,
    input_json_schema: z.unknown().exactOptional(),
    output_json_schema: z.unknown().exactOptional(),
    retry_policy: retryPolicy,
    info: z.array(notice).exactOptional(),
  })
  .meta({ id: "Handler" });
export type HandlerBody = Answer<typeof HandlerBody>;
export const Handlers = z.object({ handlers: z.array(HandlerBody) }).meta({ id: "Handlers" });

export const ServiceBody = z
  .object({
    name: text,
    ty: z.enum(["Service", "VirtualObject", "Workflow"]),
    handlers: z.array(HandlerBody),
    documentation: maybeText,
    metadata: texts.exactOptional(),
    deployment_id: text,
    revision: whole,
    public: z.boolean(),
    idempotency_retention: duration,
    workflow_completion_retention: maybeDuration,
    journal_retention: duration,
    inactivity_timeout: duration,
    abort_timeout: duration,
    /** `0s` without a deadline. */
    start_within: duration,
    end_within: duration,
    enable_lazy_state: z.boolean(),
    retry_policy: retryPolicy,
    info: z.array(notice).exactOptional(),
  })
  .meta({ id: "Service" });
export type ServiceBody = Answer<typeof ServiceBody>;
export const Services = z.object({ services: z.array(ServiceBody) }).meta({ id: "Services" });

const newDuration = optional(
  z.string().transform((given, context) => {
    const ms = parseDurationMs(given);
    if (ms !== undefined) return ms;
    context.addIssue({ code: "custom", message: `'${given}' is no duration such as 1m 30s or PT1M30S` });
    return z.NEVER;
  }),
).describe("A duration such as `1m 30s`, `500ms` or `PT1M30S`. Absent or null leaves it as it is.");

const newWithin = (what: string) =>
  newDuration.describe(
    `Within this time after the acceptance of an invocation, or after its delay, its ${what}. A header of the request goes before. \`0s\` for no deadline; absent or null leaves it as it is.`,
  );

export const ModifyService = z
  .object({
    public: flag("Whether the ingress takes requests for it. Absent or null leaves it as it is."),
    idempotency_retention: newDuration,
    workflow_completion_retention: newDuration,
    journal_retention: newDuration,
    inactivity_timeout: newDuration,
    abort_timeout: newDuration,
    start_within: newWithin("first attempt begins, or it ends with RT0910"),
    end_within: newWithin("end comes, or it is cancelled, and later killed with RT0911"),
  })
  .meta({ id: "ModifyService" });

export const CallQuery = z.object({
  key: maybeText.describe("The key of the object, or the id of the workflow."),
  scope: maybeText.describe("The scope of the call."),
  limit_key: maybeText.describe("The limit key in the scope."),
  delay: maybeText.describe("The time after which a send starts, such as `10s`."),
});

export const PreviewQuery = z.object({
  deployment: maybeText.describe("The deployment that has the serializer; the latest unless given."),
});

const serviceCount = z.object({
  service: text,
  open: whole,
  /** Among the open ones, those whose last attempt failed, and that are tried again. */
  failing: whole,
  /** Among the open ones. */
  paused: whole,
  /** Those that ended with a failure since `failed_since`; absent if several processes end invocations. */
  failed: whole.exactOptional(),
});
export type ServiceCountBody = Answer<typeof serviceCount>;

export const ServiceCountsBody = z
  .object({
    services: z
      .array(serviceCount)
      .describe("A service without any count may be missing. `failing` and `paused` are parts of `open`."),
    at_least: z.literal(true).exactOptional().describe("More invocations are open than were counted."),
    /** The start of the process, or an hour ago if that is later. */
    failed_since: datetime
      .exactOptional()
      .describe("Since when `failed` is counted; absent where several processes end invocations."),
  })
  .meta({ id: "ServiceCounts" });
export type ServiceCountsBody = Answer<typeof ServiceCountsBody>;
