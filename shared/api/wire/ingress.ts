/** The JSON bodies that travel over the ingress: what it answers, and how a body names an invocation. */

/** Every refusal and every failed invocation. Metadata and stack trace only come with failures of invocations. */
export interface IngressErrorBody {
  /** The HTTP status for `ingress`; the terminal error's own code for `invocation`. */
  readonly code: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly stacktrace?: string;
  readonly source: IngressErrorSource;
}

/** `ingress`: the request never became, or never found, an invocation. `invocation`: the invocation itself failed. */
export type IngressErrorSource = "ingress" | "invocation";

export interface SendBody {
  readonly invocationId: string;
  /** RFC 3339 in UTC; only where the invocation waits for its delay. */
  readonly executionTime?: string;
  readonly status: "Accepted" | "PreviouslyAccepted";
}

export interface LookupBody {
  readonly invocationId: string;
}

export interface HealthBody {
  readonly services: readonly string[];
}

/** How the body of an attach, an output or a lookup names its invocation. Unknown fields are ignored. */
export type TargetBody =
  | { readonly target: "invocation"; readonly invocationId: string }
  | {
      readonly target: "idempotentInvocation";
      readonly service: string;
      readonly handler: string;
      readonly idempotencyKey: string;
      /** Where the service has keys. */
      readonly key?: string;
      readonly scope?: string;
    }
  | {
      readonly target: "workflow";
      readonly workflowName: string;
      readonly workflowKey: string;
      readonly scope?: string;
    };
