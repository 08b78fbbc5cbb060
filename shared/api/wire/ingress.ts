/** The JSON bodies of the ingress: its answers, and the bodies that name an invocation. */

/** The JSON body of refusals and of failed invocations. Only failures of invocations have metadata and a stack trace. */
export interface IngressErrorBody {
  /** The HTTP status if `source` is `ingress`; the terminal error's own code if `source` is `invocation`. */
  readonly code: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly stacktrace?: string;
  readonly source: IngressErrorSource;
}

/**
 * `ingress`: the ingress refused the request or cannot return a result. `invocation`: the invocation itself failed, or an
 * attach did not find it.
 */
export type IngressErrorSource = "ingress" | "invocation";

export interface SendBody {
  readonly invocationId: string;
  /** RFC 3339 in UTC; only if the invocation waits for its delay. */
  readonly executionTime?: string;
  readonly status: "Accepted" | "PreviouslyAccepted";
}

export interface LookupBody {
  readonly invocationId: string;
}

export interface HealthBody {
  readonly services: readonly string[];
}

/** The body of an attach, an output or a lookup. Unknown fields are ignored. */
export type TargetBody =
  | { readonly target: "invocation"; readonly invocationId: string }
  | {
      readonly target: "idempotentInvocation";
      readonly service: string;
      readonly handler: string;
      readonly idempotencyKey: string;
      /** Present if the service has keys. */
      readonly key?: string;
      readonly scope?: string;
    }
  | {
      readonly target: "workflow";
      readonly workflowName: string;
      readonly workflowKey: string;
      readonly scope?: string;
    };
