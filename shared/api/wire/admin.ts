/** The JSON shapes of the admin API. Durations and moments are text. */

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
  readonly features: Readonly<Record<string, boolean>>;
}

export interface NoticeBody {
  readonly code?: string;
  readonly message: string;
}

export interface RetryPolicyBody {
  readonly initial_interval?: string;
  readonly exponentiation_factor?: number;
  /** Null means without limit for a service, and the service's value for a handler. */
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

/** The destination of a deployment: over HTTP, or a function on Lambda. */
export type DeploymentAddressBody =
  | {
      readonly uri: string;
      readonly protocol_type: "BidiStream" | "RequestResponse";
      readonly http_version: "HTTP/2.0" | "HTTP/1.1";
    }
  | { readonly arn: string; readonly assume_role_arn?: string; readonly compression?: "Zstd" };

/** @typeParam ServiceShape name and revision in lists, the whole service in detail */
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
  /** The number of open invocations pinned to the deployment; present in detail, unless the deployment is active. */
  readonly pinned_invocations?: number;
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

export interface AttemptFailureBody {
  /** RT code. */
  readonly error_code: string;
  /** The protocol's error code. */
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly at: string;
  readonly related_command?: { readonly index?: number; readonly name?: string; readonly type?: string };
  /** RT0016 only: the recorded command beside the command of the current code. */
  readonly mismatch?: {
    readonly index: number;
    readonly deployment_id: string;
    /** Absent if the journal has no command at this index. */
    readonly recorded?: { readonly type?: string; readonly name?: string };
    readonly offered: { readonly type?: string; readonly name?: string };
    /** The first differing field, if both commands have the same type. */
    readonly field?: { readonly name: string; readonly recorded: string; readonly offered: string };
  };
}

export interface RestartedBody {
  readonly new_invocation_id: string;
}

/** An id; for a restart, the old id and the new one. */
export type BatchSuccessBody = string | { readonly old_invocation_id: string; readonly new_invocation_id: string };

export interface BatchBody {
  readonly succeeded: readonly BatchSuccessBody[];
  readonly failed: readonly { readonly invocation_id: string; readonly error: string }[];
}

export interface EntryBody {
  /** 0 is the input; `from` of a restart is such an index. */
  readonly index: number;
  readonly type: string;
  readonly name?: string;
  /** When the entry was stored: all entries of one attempt have the same moment. */
  readonly at: string;
  /** The state key or promise of the command. */
  readonly key?: string;
  /** The target of a call, a send or an attach. */
  readonly target?: string;
  /** The invocation that the command created, found or signals, or whose id the notification carries. */
  readonly invocation_id?: string;
  /** The name or the index of a signal, or the id of an awakeable. */
  readonly signal?: string;
  readonly wake_at?: string;
  /** The index of the entry whose command this notification completes. */
  readonly completes?: number;
  /** Present on a notification that carries a failure. */
  readonly failed?: true;
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
  /** The external caller, as authenticated by the ingress. */
  readonly created_by?: string;
  readonly invoked_by?: { readonly invocation_id: string; readonly target?: string };
  /** The invocation from which an operator restarted this one. */
  readonly restarted_from?: string;
  /** The last act of an operator: cancel, kill, pause, resume, or restart for an invocation that a restart created. */
  readonly last_action?: { readonly action: string; readonly at: string; readonly by?: string };
  readonly pinned_deployment_id?: string;
  readonly pinned_service_protocol_version?: number;
  readonly attempts: number;
  readonly next_retry_at?: string;
  readonly wake_at?: string;
  /** Present if the deployment accepted the running attempt and has sent nothing since. */
  readonly silent_since?: string;
  /** While the invocation waits for its key: its place, of which 1 is next, and the holder of the key. */
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

/** One line of the list: the fields that indexes contain, so that no invocation is loaded. */
export interface InvocationSummaryBody {
  readonly id: string;
  readonly target: string;
  readonly target_service_name: string;
  readonly target_service_key?: string;
  readonly target_handler_name: string;
  readonly status: string;
  readonly created_at: string;
  /** Open invocations only. */
  readonly pinned_deployment_id?: string;
}

export interface InvocationListBody {
  /** Newest first; pages of open invocations may continue with younger ones after the oldest. */
  readonly invocations: readonly InvocationSummaryBody[];
  /** The value for `after`; present if more may follow, even after a page that is not full or is empty. */
  readonly next?: string;
}

/** For `POST /query` only. */
export interface QueryErrorBody {
  readonly message: string;
}

/** Values whose names suggest a secret are masked. */
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

/** The body of `GET /services/{service}/state` for one key. */
export interface StateBody {
  readonly object_key: string;
  /** Identifies this version of the state, so that an edit does not overwrite another one. */
  readonly version: string;
  readonly state: Readonly<Record<string, { readonly bytes: readonly number[]; readonly utf8?: string }>>;
}
