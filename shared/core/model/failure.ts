/** A terminal failure: what a caller receives instead of an output. */

export interface Failure {
  readonly code: number;
  readonly message: string;
  /** Sent by SDKs from protocol V6 on. */
  readonly metadata?: readonly { readonly key: string; readonly value: string }[];
  /** Present only if the final failure came from exhausted retries. */
  readonly stacktrace?: string;
}

/** How an invocation ended: with output bytes, exactly as the handler returned them, or with a failure. */
export type Result =
  | { readonly kind: "success"; readonly value: Uint8Array }
  | { readonly kind: "failure"; readonly failure: Failure };
