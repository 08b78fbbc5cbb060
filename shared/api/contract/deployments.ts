/** Deployments: the requests that register, update and remove them, and the answers. */
import * as z from "zod";
import {
  type Answer,
  type RequestBody,
  datetime,
  flag,
  maybeText,
  moment,
  optional,
  queryFlag,
  text,
  texts,
  whole,
} from "./members.ts";
import { ServiceBody } from "./services.ts";

const additionalHeaders = optional(texts).describe(
  "Sent to the deployment with its discovery and with every invocation, for instance to authenticate.",
);
const metadata = optional(texts).describe("Kept and shown with the deployment.");

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
export type RegisterBody = RequestBody<typeof RegisterHttp> | RequestBody<typeof RegisterLambda>;

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

export const RemoveDeploymentQuery = z.object({
  force: queryFlag(
    "Removes it also where open invocations are pinned to it, or where no other deployment serves them; those then fail with RT0011.",
  ),
});

const serviceName = z.object({ name: text, revision: whole });
export type ServiceNameBody = Answer<typeof serviceName>;

/** An open circuit: all attempts of the service fail, so one attempt at a time is made until one succeeds. */
const Circuit = z
  .object({
    service: text,
    open_since: moment,
    next_attempt_at: moment,
    /** The latest failure, with its code. */
    reason: text,
  })
  .meta({ id: "OpenCircuit" });
export type CircuitBody = Answer<typeof Circuit>;

const health = z
  .object({
    /**
     * `unreachable`: attempts get no answer. `failing`: it answers, and all attempts of a service fail. `reachable`: it has
     * answered the process that replies here. `unknown`: that process has had no answer from it, and no circuit is open.
     */
    state: z.enum(["reachable", "failing", "unreachable", "unknown"]),
    /** When the state began; present for `failing` and `unreachable`. All processes know these two. */
    since: datetime.exactOptional(),
    reason: maybeText,
    last_contact_at: datetime
      .exactOptional()
      .describe("The last answer of the deployment to the process that replies here."),
  })
  .describe(
    "Whether the deployment answers, by its open circuits and the last answer to the process that replies here.",
  );
export type DeploymentHealthBody = Answer<typeof health>;

const httpAddress = {
  uri: text,
  protocol_type: z.enum(["BidiStream", "RequestResponse"]),
  http_version: z.enum(["HTTP/2.0", "HTTP/1.1"]),
};
const lambdaAddress = { arn: text, assume_role_arn: maybeText, compression: z.literal("Zstd").exactOptional() };
export type DeploymentAddressBody = Answer<z.ZodObject<typeof httpAddress>> | Answer<z.ZodObject<typeof lambdaAddress>>;

const described = <Shape extends z.ZodType>(service: Shape) => ({
  id: text,
  additional_headers: texts.exactOptional(),
  metadata: texts.exactOptional(),
  created_at: moment,
  min_protocol_version: whole,
  max_protocol_version: whole,
  sdk_version: maybeText,
  /** `active`: gets new invocations. `draining`: gets none, but has pinned open invocations. `drained`: has neither. */
  status: z.enum(["active", "draining", "drained"]),
  /** The number of open invocations pinned to the deployment. Absent in lists, and for an active deployment. */
  pinned_invocations: whole.exactOptional(),
  health,
  /** Services of the deployment with an open circuit; absent if there is none. */
  circuits: z.array(Circuit).exactOptional(),
  services: z.array(service),
});

/** @param service the name and the revision of a service in lists, the whole service elsewhere */
const deployment = <Shape extends z.ZodType>(service: Shape) =>
  z.union([z.object({ ...httpAddress, ...described(service) }), z.object({ ...lambdaAddress, ...described(service) })]);

const DeploymentSummary = deployment(serviceName).meta({ id: "DeploymentSummary" });
export type DeploymentSummaryBody = Answer<typeof DeploymentSummary>;
export const DeploymentBody = deployment(ServiceBody).meta({ id: "Deployment" });
export type DeploymentBody = Answer<typeof DeploymentBody>;
export const Deployments = z.object({ deployments: z.array(DeploymentSummary) }).meta({ id: "Deployments" });

export const RegisteredBody = z
  .object({
    id: text,
    services: z.array(ServiceBody),
    min_protocol_version: whole,
    max_protocol_version: whole,
    sdk_version: maybeText,
  })
  .meta({ id: "RegisteredDeployment" });
export type RegisteredBody = Answer<typeof RegisteredBody>;

const difference = z.object({
  /** Absent for what concerns the whole deployment. */
  service: maybeText,
  /** Absent for what concerns the whole service. */
  handler: maybeText,
  /** The name of the differing member; `service` or `handler` if one side lacks the whole service or handler. */
  member: text,
  /** Absent if the registration has no such thing. A long text is cut. */
  registered: maybeText,
  /** Absent if the deployment announces no such thing. A long text is cut. */
  found: maybeText,
});
export type ProbeDifferenceBody = Answer<typeof difference>;

/** The present answer of a deployment, compared with its registration. */
export const ProbeBody = z
  .object({
    deployment_id: text,
    began_at: moment,
    took_ms: whole,
    /** `same`: it announces what is registered. `differs`: it announces something else. `unanswered`: no answer came. */
    outcome: z
      .enum(["same", "differs", "refused", "unanswered"])
      .describe("`refused`: the deployment answers, and every registration refuses the answer."),
    /** The status and the protocol of the answer; absent if none came. */
    http_status: whole.exactOptional(),
    http_version: z.enum(["HTTP/2.0", "HTTP/1.1"]).exactOptional(),
    sdk_version: maybeText,
    /** The number of services and of handlers that it announces. */
    services: whole.exactOptional(),
    handlers: whole.exactOptional(),
    differences: z.array(difference).describe("The first differences between the registration and the answer."),
    /** The number of all differences. */
    difference_count: whole,
    /** Why there is no manifest; present for `refused` and `unanswered`. */
    error: z.object({ message: text, restate_code: text.nullable() }).exactOptional(),
  })
  .meta({ id: "Probe" });
export type ProbeBody = Answer<typeof ProbeBody>;
