/** The JSON shapes of invocations in the admin API. Moments are text. */

export interface AttemptFailureBody {
  /** An RT code, such as RT0007. */
  readonly error_code: string;
  /** The protocol's error code. */
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly at: string;
  /** When the failed attempt began; absent if that is unknown. */
  readonly started_at?: string;
  /** The number of the failed attempt; absent if that is unknown. */
  readonly attempt?: number;
  /** How many consecutive attempts have failed in this way, in `events` from this one on, in `last_failure` up to it. */
  readonly times?: number;
  /** In `events`, if `times` is above 1: the last one of these attempts. */
  readonly last?: { readonly attempt: number; readonly started_at: string; readonly at: string };
  /** The deployment of the failed attempt; absent if the invocation had a pin when the attempt failed. */
  readonly deployment_id?: string;
  readonly related_command?: { readonly index?: number; readonly name?: string; readonly type?: string };
  /** For RT0016 only: the recorded command, and the different command that the current code offered. */
  readonly mismatch?: {
    /** The index among the commands; the input is 0. */
    readonly index: number;
    /** The index among all entries, as in `entries` and in `from` of a restart. */
    readonly entry?: number;
    readonly deployment_id: string;
    /** Absent if the journal has no command at this index. */
    readonly recorded?: { readonly type?: string; readonly name?: string };
    readonly offered: { readonly type?: string; readonly name?: string };
    /** The first differing field, if both commands have the same type. */
    readonly field?: { readonly name: string; readonly recorded: string; readonly offered: string };
  };
}

/** The payload of an entry: as `text` if it is UTF-8, else as `base64`. */
export interface ValueBody {
  /** The bytes of the whole value. */
  readonly size: number;
  readonly text?: string;
  readonly base64?: string;
  /** Present if only the beginning of the value is here, or nothing of it. */
  readonly cut?: true;
}

export interface EntryBody {
  /** The index of the input is 0. A restart takes such an index as `from`. */
  readonly index: number;
  readonly type: string;
  readonly name?: string;
  /**
   * The moment when the server received the command, or learned of the result. Entries that came in one piece, such as those of an
   * answer of AWS Lambda, have the same moment.
   */
  readonly at: string;
  /** Present if the moment of receipt is unknown: `at` is the later moment when the entry was stored or copied. */
  readonly at_or_before?: true;
  /** The state key or the promise that the command names. */
  readonly key?: string;
  /** The target of a call, a send or an attach. */
  readonly target?: string;
  /**
   * The invocation that a call or a send invoked, to which a signal goes, or which an attach names by its id. On a
   * notification, the id that the notification contains.
   */
  readonly invocation_id?: string;
  /** The name or the index of a signal, or the id of an awakeable. */
  readonly signal?: string;
  readonly wake_at?: string;
  /** The index of the entry whose command this notification completes. */
  readonly completes?: number;
  /** Present on a notification, and on an Output, that contains a failure. */
  readonly failed?: true;
  /** Present with `values=true`, on an entry that has a value. */
  readonly value?: ValueBody;
}

/** One thing that an open invocation waits for. Which members are present depends on `kind`. */
export interface WaitBody {
  /**
   * `schedule`: the start of a delayed send. `key`: the key of the object or workflow. `retry`: the next attempt.
   * `circuit`: the open circuit of the service. `resume`: an operator. `driver`: a driver. `attempt`: the answer of the
   * deployment. `call`, `attach`: another invocation. `timer`, `promise`, `awakeable`, `signal`: as the name says.
   * `command`: the completion of another command, such as a run.
   */
  readonly kind: string;
  /** The moment when the command was received. Without a command, the moment when the invocation came into its status. */
  readonly since: string;
  /** The moment when the wait ends by itself. */
  readonly until?: string;
  readonly attempt?: number;
  readonly failure?: AttemptFailureBody;
  readonly deployment_id?: string;
  readonly silent_since?: string;
  /** The step (`run`) that the running attempt is at, and how many other steps run beside it. */
  readonly step?: { readonly name: string; readonly since: string; readonly others?: number };
  /** The place in the queue of the key; 1 is next. */
  readonly place?: number;
  readonly awakeable_id?: string;
  /** The name of a promise, a signal or a run; the reason of a circuit. */
  readonly name?: string;
  readonly type?: string;
  readonly target?: string;
  /** The called or attached invocation, or the holder of the key. */
  readonly invocation_id?: string;
  /** The status of the invocation `invocation_id`; absent if that invocation was not read or does not exist. */
  readonly status?: string;
  /** The waits of the invocation `invocation_id`. */
  readonly waits_for?: readonly WaitBody[];
}

export interface PauseBody {
  readonly reason: "order" | "failure" | "process-ends";
  readonly at: string;
  readonly by?: string;
  readonly failure?: AttemptFailureBody;
}

/** One side of a journal mismatch. `revision` and `address` are absent if the deployment is gone. */
export interface MismatchSideBody {
  readonly deployment_id: string;
  /** The present revision of the invocation's service on the deployment; an earlier revision may have recorded the entry. */
  readonly revision?: number;
  readonly address?: string;
}

/** A journal mismatch (RT0016): both sides around the first difference, and the ways out. */
export interface MismatchBody {
  /** The index of the entry that differs. */
  readonly entry: number;
  /**
   * `offered` is absent after the difference, because the code did not get that far; `recorded` is absent after the end
   * of the journal.
   */
  readonly rows: readonly { readonly entry: number; readonly recorded?: string; readonly offered?: string }[];
  /** Which deployment recorded the differing entry, and when; absent if the deployment is unknown. */
  readonly journal?: MismatchSideBody & { readonly at: string };
  /** The deployment whose code differs. */
  readonly code: MismatchSideBody;
  readonly ways_out: readonly {
    readonly action: "restore" | "move" | "restart" | "kill";
    readonly text: string;
    /** Commands of `stepwell`. A part in angle brackets is for the operator to fill in. */
    readonly commands: readonly string[];
  }[];
}

/** An attempt that stored entries or ended the invocation. Other attempts are in `events`. */
export interface AttemptSpanBody {
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string;
  /** The index of the first entry that the attempt stored. */
  readonly entry: number;
  readonly deployment_id?: string;
}

/** The storage, writes and exchanges of the invocation so far. The numbers of write units and exchanges are lower bounds. */
export interface UsageBody {
  /** The items of the table that now belong to the invocation, and their bytes as the table charges for them. */
  readonly items: number;
  readonly bytes: number;
  /** Write units of the table and its indexes. */
  readonly write_units: number;
  /** Requests to deployments. */
  readonly exchanges: number;
  /** The time of those exchanges whose beginning is known. */
  readonly exchange_ms: number;
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
  /** How a completed invocation ended: `succeeded`, `failed`, `cancelled` or `killed`. */
  readonly outcome?: string;
  readonly idempotency_key?: string;
  /** The external caller, which the ingress authenticated. */
  readonly created_by?: string;
  readonly invoked_by?: { readonly invocation_id: string; readonly target?: string };
  /** The invocation from which an operator restarted this one. */
  readonly restarted_from?: string;
  /** The last act of an operator: cancel, kill, pause, resume; or restart, if a restart created this invocation. */
  readonly last_action?: { readonly action: string; readonly at: string; readonly by?: string };
  readonly pinned_deployment_id?: string;
  readonly pinned_service_protocol_version?: number;
  /** The deployment of the running attempt or of the next one. */
  readonly deployment?: { readonly id: string; readonly address?: string };
  /** All attempts since the acceptance: the failed ones, and each replay after a wait or a pause. */
  readonly attempts: number;
  readonly next_retry_at?: string;
  readonly wake_at?: string;
  /** Present if the deployment accepted the running attempt and has sent nothing since. */
  readonly silent_since?: string;
  /** Present while the invocation waits for its key: its place, where 1 is next, and the holder of the key. */
  readonly queue?: { readonly place: number; readonly held_by?: string };
  /** Present for an open invocation. */
  readonly waits_for?: readonly WaitBody[];
  /** For a paused invocation: the reason, the moment and the operator of the pause. */
  readonly pause?: PauseBody;
  readonly last_failure?: AttemptFailureBody;
  /** Present for an open invocation whose last failure is RT0016. */
  readonly mismatch?: MismatchBody;
  readonly completion_failure?: {
    readonly code: number;
    readonly message: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly stacktrace?: string;
  };
  /** How long the result and the journal are kept after the end, as durations. */
  readonly completion_retention: string;
  readonly journal_retention: string;
  /** The W3C trace context of the request that created the invocation. */
  readonly traceparent?: string;
  /** The number of entries of the whole journal; `entries` contains those that the request selects. */
  readonly entry_count: number;
  readonly entries: readonly EntryBody[];
  readonly attempt_spans: readonly AttemptSpanBody[];
  /** The failed attempts. Consecutive ones with the same failure are one event, which counts them. */
  readonly events: readonly AttemptFailureBody[];
  /** Absent once the journal is deleted. */
  readonly usage?: UsageBody;
}

/** One invocation of a list. With `details=false` it has only the members that the indexes contain. */
export interface InvocationSummaryBody {
  readonly id: string;
  readonly target: string;
  readonly target_service_name: string;
  readonly target_service_key?: string;
  readonly target_handler_name: string;
  readonly status: string;
  readonly created_at: string;
  /** The deployment of the last attempt of a completed invocation; absent without details. */
  readonly pinned_deployment_id?: string;
  readonly completed_at?: string;
  /** How a completed invocation ended: `succeeded`, `failed`, `cancelled` or `killed`. */
  readonly outcome?: string;
  readonly attempts?: number;
  readonly next_retry_at?: string;
  readonly wake_at?: string;
  /** Present with `waits=true`, for an open invocation. These waits have no `waits_for` of their own. */
  readonly waits_for?: readonly WaitBody[];
  /** The error of the last failed attempt, or of a completed invocation. The message is cut to 300 characters. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface InvocationListBody {
  /**
   * Sorted newest first. A later page of a list of open invocations may contain invocations that are younger than those of an
   * earlier page.
   */
  readonly invocations: readonly InvocationSummaryBody[];
  /** The value of `after` for the next page. Present if more may follow, even if this page is not full or is empty. */
  readonly next?: string;
}
