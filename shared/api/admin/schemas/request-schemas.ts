/** The request schemas of the admin API; each checks a request and describes it in the OpenAPI document. */
import * as z from "zod";
import { parseDurationMs } from "../../../core/model/duration.ts";
import { ENTRIES_MAX_CHARS, VALUES_MAX_BYTES, VALUE_MAX_BYTES } from "../requests/entry-value-body.ts";

const textMap = z.record(z.string(), z.string());
/** Absent and null are equivalent, because clients send either. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((given) => given ?? undefined);

const additionalHeaders = optional(textMap).describe(
  "Sent to the deployment with its discovery and with every invocation, for instance to authenticate.",
);
const metadata = optional(textMap).describe("Kept and shown with the deployment.");
const flag = (doc: string) => optional(z.boolean()).describe(doc);

const HOW_TO_REGISTER = {
  additional_headers: additionalHeaders,
  metadata,
  breaking: flag("Lets a service change its type or lose handlers (META0006)."),
  force: flag("Replaces what is registered under the address; implies breaking. False unless given, true under /v2."),
  dry_run: flag("Discovers and decides, and stores nothing."),
};

export const RegisterHttp = z
  .object({
    uri: z.string().describe("An absolute http or https address. The scheme is no part of the deployment's identity."),
    use_http_11: flag("Speak HTTP/1.1 to http addresses; https ones decide in their handshake."),
    auth: z.unknown().optional(),
    ...HOW_TO_REGISTER,
  })
  .meta({ id: "RegisterHttpDeployment" });

export const RegisterLambda = z
  .object({
    arn: z.string().describe("The ARN of a function with a version or an alias at its end."),
    assume_role_arn: optional(z.string()).describe("The role as which the function is called."),
    ...HOW_TO_REGISTER,
  })
  .meta({ id: "RegisterLambdaDeployment" });

export const UpdateDeployment = z
  .object({
    uri: optional(z.string()).describe("The new address; the registered one unless given."),
    use_http_11: flag("Speak HTTP/1.1; as registered unless given."),
    arn: optional(z.string()).describe("The new ARN; the registered one unless given."),
    assume_role_arn: optional(z.string()).describe("The role as which the function is called."),
    additional_headers: additionalHeaders.describe(
      "Replaces all headers; as registered unless given. Required ({} for no headers) if there are stored headers and the new address has another " +
        "scheme, host or port, or the new ARN is that of another function.",
    ),
    overwrite: flag("PATCH only: takes over the discovered services as well."),
    dry_run: flag("Discovers and decides, and stores nothing."),
  })
  .meta({ id: "UpdateDeployment" });

const duration = optional(
  z.string().transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: "custom", message: `'${text}' is no duration such as 1m 30s or PT1M30S` });
    return z.NEVER;
  }),
).describe("A duration such as `1m 30s`, `500ms` or `PT1M30S`. Absent or null leaves it as it is.");

export const ModifyService = z
  .object({
    public: flag("Whether the ingress takes requests for it. Absent or null leaves it as it is."),
    idempotency_retention: duration,
    workflow_completion_retention: duration,
    journal_retention: duration,
    inactivity_timeout: duration,
    abort_timeout: duration,
  })
  .meta({ id: "ModifyService" });

const uri = z.string().refine((text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && !/\s/.test(text), "expected a URI");

export const CreateSubscription = z
  .object({
    source: uri.describe("kafka://<cluster>/<topic>, the cluster being a configured one."),
    sink: uri.describe("service://<service>/<handler>, both registered."),
    options: optional(textMap).describe("Properties of the consumer, which win over those of the cluster."),
  })
  .meta({ id: "CreateSubscription" });

const offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const momentMs = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const resetTarget = z.union([
  z.object({ to: z.enum(["earliest", "latest"]) }).transform(({ to }) => ({ kind: to })),
  z.object({ time: momentMs }).transform(({ time }) => ({ kind: "time" as const, atMs: time })),
  z
    .object({ offsets: z.record(z.string().regex(/^\d{1,7}$/), offset) })
    .refine(({ offsets }) => Object.keys(offsets).length > 0, "expected at least one partition")
    .transform(({ offsets }) => ({ kind: "offsets" as const, offsets })),
]);

export const ChangeSubscription = z
  .object({
    paused: optional(z.boolean()).describe("True pauses the subscription; false resumes it."),
    options: optional(textMap).describe("Replaces the options; the subscription begins again with its group."),
    reset: optional(resetTarget).describe(
      "Reads again from `to` (earliest or latest), from `time` (a moment), or from `offsets` (by partition). Records that are read again invoke their handlers again.",
    ),
  })
  .refine(({ paused, options, reset }) => [paused, options, reset].some((one) => one !== undefined), {
    message: "expected at least one of paused, options and reset",
  })
  .meta({ id: "ChangeSubscription" });

const properties = textMap.describe("Properties of the clients of this cluster; bootstrap.servers is needed.");

export const CreateKafkaCluster = z
  .object({
    name: z
      .string()
      .regex(
        /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i,
        "expected a name as hosts have: letters, digits, '.' and '-'",
      ),
    properties,
  })
  .meta({ id: "CreateKafkaCluster" });

export const UpdateKafkaCluster = z.object({ properties }).meta({ id: "UpdateKafkaCluster" });

const queryFlag = (doc: string) =>
  z
    .enum(["true", "false"])
    .optional()
    .transform((given) => given === "true")
    .describe(doc);

export const RemoveDeploymentQuery = z.object({
  force: queryFlag(
    "Removes it also where open invocations are pinned to it, or where no other deployment serves them; those then fail with RT0011.",
  ),
});

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

export const RemoveKafkaClusterQuery = z.object({
  force: queryFlag("Removes it also where subscriptions use it."),
});

export const ShowKafkaClusterQuery = z.object({
  include_subscriptions: queryFlag("Shows the subscriptions that use the cluster."),
});

export const ListSubscriptionsQuery = z.object({
  sink: z.string().optional().describe("Only those with exactly this sink."),
  source: z.string().optional().describe("Only those with exactly this source."),
});

const stateValue = z
  .union([
    z.array(z.int().min(0).max(255)).transform((bytes) => Uint8Array.from(bytes)),
    z.string().transform((text) => new TextEncoder().encode(text)),
  ])
  .describe("The bytes of the value as numbers, or a text for its UTF-8 bytes.");

/**
 * A name that a handler uses may have at most 65,536 bytes. The schema counts characters, and this many characters take at
 * most 65,535 bytes in UTF-8.
 */
const NAME_MAX_CHARACTERS = 21_845;

export const EditState = z
  .object({
    object_key: z.string().max(NAME_MAX_CHARACTERS).describe("The key of the object, or the id of the workflow."),
    new_state: z
      .record(z.string().max(NAME_MAX_CHARACTERS), stateValue)
      .describe("The whole state: what is not named is removed."),
    version: optional(z.string()).describe("Only where the state is this one; any is replaced unless given."),
    scope: optional(z.string()).describe("Refused: scopes are off, and no state belongs to one."),
  })
  .meta({ id: "EditState" });

export const CallQuery = z.object({
  key: z.string().exactOptional().describe("The key of the object, or the id of the workflow."),
  delay: z.string().exactOptional().describe("The time after which a send starts, such as `10s`."),
});

export const PreviewQuery = z.object({
  deployment: z.string().exactOptional().describe("The deployment that has the serializer; the latest unless given."),
});

export const ShowStateQuery = z.object({ object_key: z.string().describe("The key whose state is shown.") });
