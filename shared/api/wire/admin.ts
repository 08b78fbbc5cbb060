/** The JSON shapes of the admin API, as its clients read and write them. Durations and moments are text. */

export interface AdminErrorBody {
  readonly message: string;
  /** Null where the error has no code. */
  readonly restate_code: string | null;
}

export interface VersionBody {
  /** The level of the API that is spoken, then `+` and the program with its version. */
  readonly version: string;
  readonly product: string;
  readonly product_version: string;
  readonly min_admin_api_version: number;
  readonly max_admin_api_version: number;
  readonly ingress_endpoint?: string;
  readonly features: Readonly<Record<string, boolean>>;
}

export interface NoticeBody {
  readonly code?: string;
  readonly message: string;
}

export interface RetryPolicyBody {
  readonly initial_interval?: string;
  readonly exponentiation_factor?: number;
  /** Null: of a service, without end; of a handler, as its service. */
  readonly max_attempts: number | null;
  readonly max_interval?: string;
  readonly on_max_attempts?: "Pause" | "Kill";
}

/** Optional members of a handler say "as the service" by their absence. */
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

/** Where a deployment is reached: over HTTP, or as a function on Lambda. */
export type DeploymentAddressBody =
  | {
      readonly uri: string;
      readonly protocol_type: "BidiStream" | "RequestResponse";
      readonly http_version: "HTTP/2.0" | "HTTP/1.1";
    }
  | { readonly arn: string; readonly assume_role_arn?: string; readonly compression?: "Zstd" };

/** @typeParam ServiceShape a name and a revision in lists, the whole service in detail */
export type DeploymentBody<ServiceShape> = DeploymentAddressBody & DescribedDeployment<ServiceShape>;

/** A service whose attempts all fail: one attempt at a time is made until one succeeds. */
export interface CircuitBody {
  readonly service: string;
  readonly open_since: string;
  readonly next_attempt_at: string;
  /** The latest failure, with its code. */
  readonly reason: string;
}

interface DescribedDeployment<ServiceShape> {
  readonly id: string;
  readonly additional_headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly min_protocol_version: number;
  readonly max_protocol_version: number;
  readonly sdk_version?: string;
  /** `active`: serves new requests. `draining`: serves none, and open invocations are pinned to it. `drained`: neither. */
  readonly status: "active" | "draining" | "drained";
  /** How many open invocations are pinned to it; shown in detail, where it is not active. */
  readonly pinned_invocations?: number;
  /** Services of the deployment with an open circuit; absent if there is none. */
  readonly circuits?: readonly CircuitBody[];
  readonly services: readonly ServiceShape[];
}

export interface ServiceNameBody {
  readonly name: string;
  readonly revision: number;
}

/** The body of `POST /deployments`; members that are not named here are ignored. */
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

export interface AttemptFailureBody {
  /** RT code. */
  readonly error_code: string;
  /** The protocol's number. */
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly at: string;
  readonly related_command?: { readonly index?: number; readonly name?: string; readonly type?: string };
  /** RT0016 only: what the journal has beside what the code does now. */
  readonly mismatch?: {
    readonly index: number;
    readonly deployment_id: string;
    /** Absent where the journal has nothing there. */
    readonly recorded?: { readonly type?: string; readonly name?: string };
    readonly offered: { readonly type?: string; readonly name?: string };
    /** The first that differs, where both are of one type. */
    readonly field?: { readonly name: string; readonly recorded: string; readonly offered: string };
  };
}

export interface RestartedBody {
  readonly new_invocation_id: string;
}

/** An id; of what was restarted the old one and the new one. */
export type BatchSuccessBody = string | { readonly old_invocation_id: string; readonly new_invocation_id: string };

export interface BatchBody {
  readonly succeeded: readonly BatchSuccessBody[];
  readonly failed: readonly { readonly invocation_id: string; readonly error: string }[];
}

export interface EntryBody {
  readonly index: number;
  readonly type: string;
  readonly name?: string;
  /** Of a command about state or a promise: which one. */
  readonly key?: string;
  /** Of a call or a send. */
  readonly target?: string;
}

export interface InvocationBody {
  readonly id: string;
  readonly target: string;
  readonly target_service_name: string;
  readonly target_service_key?: string;
  readonly target_handler_name: string;
  readonly status: string;
  readonly created_at: string;
  readonly modified_at: string;
  readonly completed_at?: string;
  readonly idempotency_key?: string;
  /** The caller from outside, as the ingress has authenticated it. */
  readonly created_by?: string;
  readonly invoked_by?: { readonly invocation_id: string; readonly target?: string };
  /** The invocation that an operator started anew as this one. */
  readonly restarted_from?: string;
  /** The last act of an operator: cancel, kill, pause, resume, or restart for an invocation that a restart created. */
  readonly last_action?: { readonly action: string; readonly at: string; readonly by?: string };
  readonly pinned_deployment_id?: string;
  readonly pinned_service_protocol_version?: number;
  readonly attempts: number;
  readonly next_retry_at?: string;
  readonly wake_at?: string;
  /** A deployment that took the running attempt has sent nothing since. */
  readonly silent_since?: string;
  /** While it waits for its key: its place, of which 1 is next, and the invocation that has the key. */
  readonly queue?: { readonly place: number; readonly held_by?: string };
  readonly last_failure?: AttemptFailureBody;
  readonly completion_failure?: {
    readonly code: number;
    readonly message: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly stacktrace?: string;
  };
  readonly entries: readonly EntryBody[];
  readonly events: readonly AttemptFailureBody[];
}

/** One line of the list: what indexes show without a look into the invocation. */
export interface InvocationSummaryBody {
  readonly id: string;
  readonly target: string;
  readonly target_service_name: string;
  readonly target_service_key?: string;
  readonly target_handler_name: string;
  readonly status: string;
  readonly created_at: string;
  /** Only of what is open. */
  readonly pinned_deployment_id?: string;
}

export interface InvocationListBody {
  /** Newest first; the pages of what is open may go on with younger ones behind the oldest. */
  readonly invocations: readonly InvocationSummaryBody[];
  /** To be given as `after`; present where more may follow, also behind a page that is not full, or that is empty. */
  readonly next?: string;
}

/** Of `POST /query` alone. */
export interface QueryErrorBody {
  readonly message: string;
}

/** Values of options and properties whose names speak of a secret are masked. */
export interface SubscriptionBody {
  readonly id: string;
  readonly source: string;
  readonly sink: string;
  readonly options: Readonly<Record<string, string>>;
}

export interface KafkaClusterBody {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly created_at: string;
}

/** What `GET /services/{service}/state` shows of one key. */
export interface StateBody {
  readonly object_key: string;
  /** Names this very state, for an edit that must not replace another one. */
  readonly version: string;
  readonly state: Readonly<Record<string, { readonly bytes: readonly number[]; readonly utf8?: string }>>;
}
