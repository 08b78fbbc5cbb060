/** The JSON shapes of the admin API, except the descriptions of invocations. Durations and moments are texts. */

export interface AdminErrorBody {
  readonly message: string;
  /** Null if the error has no code. */
  readonly restate_code: string | null;
}

export interface VersionBody {
  /** The supported API level, then `+` and the program with its version. */
  readonly version: string;
  readonly product: string;
  readonly product_version: string;
  readonly min_admin_api_version: number;
  readonly max_admin_api_version: number;
  readonly ingress_endpoint?: string;
  /** `functions`: each read of the table has a price, so clients ask less often. */
  readonly runs_on: "one-process" | "functions";
  readonly features: Readonly<Record<string, boolean>>;
}

export interface NoticeBody {
  readonly code?: string;
  readonly message: string;
}

export interface RetryPolicyBody {
  readonly initial_interval?: string;
  readonly exponentiation_factor?: number;
  /** On a service, null means no limit; on a handler, it means the service's value. */
  readonly max_attempts: number | null;
  readonly max_interval?: string;
  readonly on_max_attempts?: "Pause" | "Kill";
}

/** An absent optional member means the service's value. */
export interface HandlerBody {
  readonly name: string;
  readonly ty?: "Exclusive" | "Shared" | "Workflow";
  readonly documentation?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly idempotency_retention?: string;
  readonly workflow_completion_retention?: string;
  readonly journal_retention?: string;
  readonly inactivity_timeout?: string;
  readonly abort_timeout?: string;
  readonly enable_lazy_state?: boolean;
  readonly public: boolean;
  readonly input_description: string;
  /** The media type of the input, or a pattern such as `text/*`; absent if the handler takes no body, or is older than this member. */
  readonly input_content_type?: string;
  readonly output_description: string;
  readonly input_json_schema?: unknown;
  readonly output_json_schema?: unknown;
  readonly retry_policy: RetryPolicyBody;
  readonly info?: readonly NoticeBody[];
}

export interface ServiceBody {
  readonly name: string;
  readonly ty: "Service" | "VirtualObject" | "Workflow";
  readonly handlers: readonly HandlerBody[];
  readonly documentation?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deployment_id: string;
  readonly revision: number;
  readonly public: boolean;
  readonly idempotency_retention: string;
  readonly workflow_completion_retention?: string;
  readonly journal_retention: string;
  readonly inactivity_timeout: string;
  readonly abort_timeout: string;
  readonly enable_lazy_state: boolean;
  readonly retry_policy: RetryPolicyBody;
  readonly info?: readonly NoticeBody[];
}

/** The address of a deployment: a URI, or the ARN of a function on Lambda. */
export type DeploymentAddressBody =
  | {
      readonly uri: string;
      readonly protocol_type: "BidiStream" | "RequestResponse";
      readonly http_version: "HTTP/2.0" | "HTTP/1.1";
    }
  | { readonly arn: string; readonly assume_role_arn?: string; readonly compression?: "Zstd" };

/** @typeParam ServiceShape the name and the revision of a service in lists, the whole service elsewhere */
export type DeploymentBody<ServiceShape> = DeploymentAddressBody & DescribedDeployment<ServiceShape>;

/** An open circuit: all attempts of the service fail, so one attempt at a time is made until one succeeds. */
export interface CircuitBody {
  readonly service: string;
  readonly open_since: string;
  readonly next_attempt_at: string;
  /** The latest failure, with its code. */
  readonly reason: string;
}

export interface HealthBody {
  /**
   * `unreachable`: attempts get no answer. `failing`: it answers, and all attempts of a service fail. `reachable`: it has
   * answered the process that replies here. `unknown`: that process has had no answer from it, and no circuit is open.
   */
  readonly state: "reachable" | "failing" | "unreachable" | "unknown";
  /** When the state began; present for `failing` and `unreachable`. All processes know these two. */
  readonly since?: string;
  readonly reason?: string;
  /** The last answer that the process that replies here had from the deployment. */
  readonly last_contact_at?: string;
}

interface DescribedDeployment<ServiceShape> {
  readonly id: string;
  readonly additional_headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly min_protocol_version: number;
  readonly max_protocol_version: number;
  readonly sdk_version?: string;
  /** `active`: gets new invocations. `draining`: gets none, but has pinned open invocations. `drained`: has neither. */
  readonly status: "active" | "draining" | "drained";
  /** The number of open invocations pinned to the deployment. Absent in lists, and for an active deployment. */
  readonly pinned_invocations?: number;
  readonly health: HealthBody;
  /** Services of the deployment with an open circuit; absent if there is none. */
  readonly circuits?: readonly CircuitBody[];
  readonly services: readonly ServiceShape[];
}

export interface ServiceNameBody {
  readonly name: string;
  readonly revision: number;
}

/** The body of `POST /deployments`; other members are ignored. */
export type RegisterBody = ({ readonly uri: string; readonly use_http_11?: boolean } | { readonly arn: string }) & {
  readonly additional_headers?: Readonly<Record<string, string>> | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly breaking?: boolean;
  readonly force?: boolean;
  readonly dry_run?: boolean;
};

export interface RegisteredBody {
  readonly id: string;
  readonly services: readonly ServiceBody[];
  readonly min_protocol_version: number;
  readonly max_protocol_version: number;
  readonly sdk_version?: string;
}

export interface RestartedBody {
  readonly new_invocation_id: string;
}

/** The id of the invocation; for a restart, its old id and its new one. */
export type BatchSuccessBody = string | { readonly old_invocation_id: string; readonly new_invocation_id: string };

export interface BatchBody {
  readonly succeeded: readonly BatchSuccessBody[];
  readonly failed: readonly { readonly invocation_id: string; readonly error: string }[];
  /** The ids among `succeeded` whose change the server has recorded and applies later; present if there are any. */
  readonly noted?: readonly string[];
}

/** The error body of `POST /query`. */
export interface QueryErrorBody {
  readonly message: string;
}

/** Why a subscription is paused. For the reason `bad-record`, the members that describe the record are present. */
export interface SubscriptionPauseBody {
  readonly reason: "order" | "bad-record";
  readonly at: string;
  readonly by?: string;
  readonly partition?: number;
  readonly offset?: number;
  readonly bad_record?: string;
  readonly detail?: string;
}

export interface PartitionBody {
  readonly partition: number;
  /** Every record before this offset is accepted or skipped. */
  readonly next_offset: number;
  /** The number of records that wait at the broker; absent if this server does not read the partition. */
  readonly lag?: number;
  /** The number of records that the policy of the subscription passed over. */
  readonly skipped: number;
  readonly moved_at?: string;
}

/** Options whose names suggest a secret are masked. */
export interface SubscriptionBody {
  readonly id: string;
  readonly source: string;
  readonly sink: string;
  readonly options: Readonly<Record<string, string>>;
  readonly status: "consuming" | "failing" | "paused" | "no-cluster";
  readonly pause?: SubscriptionPauseBody;
  readonly last_error?: { readonly at: string; readonly message: string; readonly partition?: number };
  readonly partitions: readonly PartitionBody[];
}

export interface KafkaClusterBody {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly created_at: string;
  /** Present for a cluster of the configuration file, which the admin API cannot change. */
  readonly info?: readonly { readonly message: string }[];
}

/** The body of `GET /services/{service}/state` for one key. */
export interface StateBody {
  readonly object_key: string;
  /** Identifies this state. The server refuses an edit that names this version after the state has changed. */
  readonly version: string;
  readonly state: Readonly<Record<string, { readonly bytes: readonly number[]; readonly utf8?: string }>>;
}

/** The answer of `GET /ready`. */
export interface ReadyBody {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason?: string }[];
}
