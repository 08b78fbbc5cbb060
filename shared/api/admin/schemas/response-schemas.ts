/** The response schemas of the admin API for its OpenAPI document; each must satisfy its counterpart in `api/wire`. */
import * as z from "zod";
import type {
  CircuitBody,
  AdminErrorBody,
  DeploymentBody,
  HandlerBody,
  KafkaClusterBody,
  ReadyBody,
  RegisteredBody,
  ServiceBody,
  ServiceNameBody,
  SubscriptionBody,
  VersionBody,
} from "../../wire/admin.ts";
import type { ProbeBody } from "../../wire/probe.ts";

const text = z.string();
const maybeText = text.exactOptional();
const whole = z.int();
const texts = z.record(text, text);
const moment = text.meta({ format: "date-time" });
const duration = text.describe("A duration such as `1m 30s`.");
const maybeDuration = duration.exactOptional();

export const AdminError = z
  .object({ message: text, restate_code: text.nullable().describe("A code of docs/errors.md, where there is one.") })
  .meta({ id: "Error" }) satisfies z.ZodType<AdminErrorBody>;

export const Version = z
  .object({
    version: text.describe("The level of the API as a semantic version, then `+` and the program with its version."),
    product: text,
    product_version: text,
    min_admin_api_version: whole,
    max_admin_api_version: whole,
    ingress_endpoint: maybeText,
    runs_on: z.enum(["one-process", "functions"]),
    features: z.record(text, z.boolean()),
  })
  .meta({ id: "Version" }) satisfies z.ZodType<VersionBody>;

export const Ready = z
  .object({
    ready: z.boolean(),
    checks: z.array(z.object({ name: text, ok: z.boolean(), reason: text.exactOptional() })),
  })
  .meta({ id: "Ready" }) satisfies z.ZodType<ReadyBody>;

export const ClusterHealth = z
  .object({ cluster_name: text, metadata_cluster_health: z.object({ members: z.array(whole) }) })
  .meta({ id: "ClusterHealth" });

const notice = z.object({ code: maybeText, message: text });
const retryPolicy = z.object({
  initial_interval: maybeDuration,
  exponentiation_factor: z.number().exactOptional(),
  max_attempts: whole.nullable(),
  max_interval: maybeDuration,
  on_max_attempts: z.enum(["Pause", "Kill"]).exactOptional(),
});

export const Handler = z
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
    enable_lazy_state: z.boolean().exactOptional(),
    public: z.boolean(),
    input_description: text,
    input_content_type: maybeText,
    output_description: text,
    input_json_schema: z.unknown().exactOptional(),
    output_json_schema: z.unknown().exactOptional(),
    retry_policy: retryPolicy,
    info: z.array(notice).exactOptional(),
  })
  .meta({ id: "Handler" }) satisfies z.ZodType<HandlerBody>;

export const Handlers = z.object({ handlers: z.array(Handler) }).meta({ id: "Handlers" });

export const Service = z
  .object({
    name: text,
    ty: z.enum(["Service", "VirtualObject", "Workflow"]),
    handlers: z.array(Handler),
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
    enable_lazy_state: z.boolean(),
    retry_policy: retryPolicy,
    info: z.array(notice).exactOptional(),
  })
  .meta({ id: "Service" }) satisfies z.ZodType<ServiceBody>;

export const Services = z.object({ services: z.array(Service) }).meta({ id: "Services" });

const serviceName = z.object({ name: text, revision: whole });

const Circuit = z
  .object({ service: text, open_since: moment, next_attempt_at: moment, reason: text })
  .meta({ id: "OpenCircuit" }) satisfies z.ZodType<CircuitBody>;

const describedDeployment = <Shape extends z.ZodType>(service: Shape) => ({
  id: text,
  additional_headers: texts.exactOptional(),
  metadata: texts.exactOptional(),
  created_at: moment,
  min_protocol_version: whole,
  max_protocol_version: whole,
  sdk_version: maybeText,
  status: z.enum(["active", "draining", "drained"]),
  pinned_invocations: whole.exactOptional(),
  health: z
    .object({
      state: z.enum(["reachable", "failing", "unreachable", "unknown"]),
      since: z.iso.datetime().exactOptional(),
      reason: z.string().exactOptional(),
      last_contact_at: z.iso
        .datetime()
        .exactOptional()
        .describe("The last answer of the deployment to the process that replies here."),
    })
    .describe(
      "Whether the deployment answers, by its open circuits and the last answer to the process that replies here.",
    ),
  circuits: z.array(Circuit).exactOptional(),
  services: z.array(service),
});

const deployment = <Shape extends z.ZodType>(service: Shape) =>
  z.union([
    z.object({
      uri: text,
      protocol_type: z.enum(["BidiStream", "RequestResponse"]),
      http_version: z.enum(["HTTP/2.0", "HTTP/1.1"]),
      ...describedDeployment(service),
    }),
    z.object({
      arn: text,
      assume_role_arn: maybeText,
      compression: z.literal("Zstd").exactOptional(),
      ...describedDeployment(service),
    }),
  ]);

const DeploymentSummary = deployment(serviceName).meta({ id: "DeploymentSummary" }) satisfies z.ZodType<
  DeploymentBody<ServiceNameBody>
>;
export const Deployment = deployment(Service).meta({ id: "Deployment" }) satisfies z.ZodType<
  DeploymentBody<ServiceBody>
>;
export const Deployments = z.object({ deployments: z.array(DeploymentSummary) }).meta({ id: "Deployments" });

export const Registered = z
  .object({
    id: text,
    services: z.array(Service),
    min_protocol_version: whole,
    max_protocol_version: whole,
    sdk_version: maybeText,
  })
  .meta({ id: "RegisteredDeployment" }) satisfies z.ZodType<RegisteredBody>;

export const Probe = z
  .object({
    deployment_id: text,
    began_at: moment,
    took_ms: whole,
    outcome: z
      .enum(["same", "differs", "refused", "unanswered"])
      .describe("`refused`: the deployment answers, and every registration refuses the answer."),
    http_status: whole.exactOptional(),
    http_version: z.enum(["HTTP/2.0", "HTTP/1.1"]).exactOptional(),
    sdk_version: maybeText,
    services: whole.exactOptional(),
    handlers: whole.exactOptional(),
    differences: z
      .array(
        z.object({
          service: maybeText,
          handler: maybeText,
          member: text,
          registered: maybeText,
          found: maybeText,
        }),
      )
      .describe("The first differences between the registration and the answer."),
    difference_count: whole,
    error: z.object({ message: text, restate_code: text.nullable() }).exactOptional(),
  })
  .meta({ id: "Probe" }) satisfies z.ZodType<ProbeBody>;

const subscriptionPause = z.object({
  reason: z.enum(["order", "bad-record"]),
  at: moment,
  by: maybeText,
  partition: whole.exactOptional(),
  offset: whole.exactOptional(),
  bad_record: maybeText,
  detail: maybeText,
});

export const Subscription = z
  .object({
    id: text,
    source: text,
    sink: text,
    options: texts,
    status: z.enum(["consuming", "failing", "paused", "no-cluster"]),
    pause: subscriptionPause.exactOptional(),
    last_error: z.object({ at: moment, message: text, partition: whole.exactOptional() }).exactOptional(),
    partitions: z.array(
      z.object({
        partition: whole,
        next_offset: whole,
        lag: whole.exactOptional(),
        skipped: whole,
        moved_at: moment.exactOptional(),
      }),
    ),
  })
  .meta({ id: "Subscription" }) satisfies z.ZodType<SubscriptionBody>;
export const Subscriptions = z.object({ subscriptions: z.array(Subscription) }).meta({ id: "Subscriptions" });

export const KafkaCluster = z
  .object({
    name: text,
    properties: texts,
    created_at: moment,
    info: z.array(notice).exactOptional(),
    subscriptions: z.array(Subscription).exactOptional(),
  })
  .meta({ id: "KafkaCluster" }) satisfies z.ZodType<KafkaClusterBody>;
export const KafkaClusters = z.object({ clusters: z.array(KafkaCluster) }).meta({ id: "KafkaClusters" });
