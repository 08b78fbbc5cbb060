/** The JSON shape of a probe: what a deployment answers at once, beside its registration. */

export interface ProbeDifferenceBody {
  /** Absent for what concerns the whole deployment. */
  readonly service?: string;
  /** Absent for what concerns the whole service. */
  readonly handler?: string;
  /** The name of the differing member; `service` or `handler` if one side lacks the whole service or handler. */
  readonly member: string;
  /** Absent if the registration has no such thing. A long text is cut. */
  readonly registered?: string;
  /** Absent if the deployment announces no such thing. A long text is cut. */
  readonly found?: string;
}

export interface ProbeBody {
  readonly deployment_id: string;
  readonly began_at: string;
  readonly took_ms: number;
  /**
   * `same`: it announces what is registered. `differs`: it announces something else. `refused`: it answers, and every registration
   * refuses the answer. `unanswered`: no answer came.
   */
  readonly outcome: "same" | "differs" | "refused" | "unanswered";
  /** The status and the protocol of the answer; absent if none came. */
  readonly http_status?: number;
  readonly http_version?: "HTTP/2.0" | "HTTP/1.1";
  readonly sdk_version?: string;
  /** The number of services and of handlers that it announces. */
  readonly services?: number;
  readonly handlers?: number;
  /** The first differences. */
  readonly differences: readonly ProbeDifferenceBody[];
  /** The number of all differences. */
  readonly difference_count: number;
  /** Why there is no manifest; present for `refused` and `unanswered`. */
  readonly error?: { readonly message: string; readonly restate_code: string | null };
}
