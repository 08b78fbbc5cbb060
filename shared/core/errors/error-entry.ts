/** The shape of an entry of the error table, and the possible outcomes of an error. */

/**
 * The consequence of the error. `reject` answers a request with an HTTP status; `retry` and `pause` concern attempts;
 * `end` ends an invocation with a failure of this status; `refuse-start` ends the process; `warn` has no effect.
 */
export type Outcome =
  | {
      readonly kind: "reject";
      readonly status: number;
      /** True if the same error also prevents the start of the process. */ readonly refusesStart?: true;
    }
  | { readonly kind: "retry" }
  | { readonly kind: "pause" }
  | { readonly kind: "end"; readonly status: number }
  | { readonly kind: "refuse-start" }
  | { readonly kind: "warn" };

export interface ErrorEntry {
  /** The error as a sentence without its full stop; a detail may follow it. */
  readonly title: string;
  /** The conditions of the error, in whole sentences. */
  readonly arises: string;
  readonly outcome: Outcome;
  /** The user's remedy, in whole sentences. */
  readonly remedy: string;
}

export const RETRY = { kind: "retry" } as const;
export function end<Status extends number>(status: Status): { readonly kind: "end"; readonly status: Status } {
  return { kind: "end", status };
}

export const PAUSE = { kind: "pause" } as const;
export const WARN = { kind: "warn" } as const;
export const REFUSE_START = { kind: "refuse-start" } as const;

/** True if the error ends the process when it occurs at start. */
export function refusesStart(outcome: Outcome): boolean {
  return outcome.kind === "refuse-start" || (outcome.kind === "reject" && outcome.refusesStart === true);
}

export function reject<Status extends number>(status: Status): { readonly kind: "reject"; readonly status: Status } {
  return { kind: "reject", status };
}
