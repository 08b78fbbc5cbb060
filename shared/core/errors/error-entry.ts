/** What the error table says of a code, and the outcomes that it knows. */

/** `reject` answers a request with an HTTP status; `retry` and `pause` are about attempts; `refuse-start` ends the process; `warn` only tells. */
export type Outcome =
  | {
      readonly kind: "reject";
      readonly status: number;
      /** What is refused later is refused at the start too. */ readonly refusesStart?: true;
    }
  | { readonly kind: "retry" }
  | { readonly kind: "pause" }
  | { readonly kind: "refuse-start" }
  | { readonly kind: "warn" };

export interface ErrorEntry {
  /** What has happened, as a sentence without its full stop; a detail may follow it. */
  readonly title: string;
  /** Under which condition, in whole sentences. */
  readonly arises: string;
  readonly outcome: Outcome;
  /** What to do about it, in whole sentences. */
  readonly remedy: string;
}

export const RETRY = { kind: "retry" } as const;
export const WARN = { kind: "warn" } as const;
export const REFUSE_START = { kind: "refuse-start" } as const;

/** Whether the process ends where the error meets it at its start. */
export function refusesStart(outcome: Outcome): boolean {
  return outcome.kind === "refuse-start" || (outcome.kind === "reject" && outcome.refusesStart === true);
}

export function reject<Status extends number>(status: Status): { readonly kind: "reject"; readonly status: Status } {
  return { kind: "reject", status };
}
