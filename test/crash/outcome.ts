/** The result of an invocation: the record of each of its steps, for comparison with the ledger. */

/** The result of a committed closure. */
export interface Recorded {
  readonly step: string;
  /** Unique to this execution. */
  readonly nonce: string;
  readonly atMs: number;
}

interface Ran<Kind> {
  readonly kind: Kind;
  readonly recorded: readonly Recorded[];
}

/** The record of one operation; an outcome has one record for each operation of the plan, in order. */
export type Done =
  | Ran<"run">
  | Ran<"failing-run">
  | Ran<"parallel">
  | {
      readonly kind: "sleep";
      readonly before: Recorded;
      readonly after: Recorded;
      /** The random value recorded before the sleep, and the one drawn again on the replay after it. */
      readonly uuids: readonly [string, string];
    }
  | { readonly kind: "call"; readonly outcome: Outcome }
  | { readonly kind: "send"; readonly invocationId: string }
  | { readonly kind: "awakeable"; readonly recorded: Recorded; readonly completer: string; readonly nonce: string }
  | { readonly kind: "together"; readonly outcome: Outcome; readonly recorded: Recorded }
  | { readonly kind: "adds"; readonly sent: readonly string[]; readonly outcome: Counted }
  | {
      readonly kind: "workflow";
      readonly outcome: Answered;
      /** The invocations that tried to complete the promise of the workflow. */
      readonly answerers: readonly string[];
      /** The state of the workflow, as a shared handler read it after the end of the run. */
      readonly read: Outcome & { readonly step: string | null };
    };

export interface Outcome {
  readonly invocationId: string;
  readonly done: readonly Done[];
}

/** The result of an add. */
export interface Counted extends Outcome {
  readonly key: string;
  /** The count of its key, this add included. */
  readonly count: number;
}

/** The result of the run of a workflow. */
export interface Answered extends Outcome {
  readonly answer: string;
}

/** The result of an invocation that tried to complete a promise. */
export interface Answering extends Outcome {
  /** False if the promise was completed already. */
  readonly won: boolean;
}
