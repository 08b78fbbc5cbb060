/** What an invocation answers: by name what each of its steps recorded, so that a ledger can be held against it. */

/** What a committed closure returned. */
export interface Recorded {
  readonly step: string;
  /** Of this execution and no other. */
  readonly nonce: string;
  readonly atMs: number;
}

interface Ran<Kind> {
  readonly kind: Kind;
  readonly recorded: readonly Recorded[];
}

/** One for each operation of the plan, in order. */
export type Done =
  | Ran<"run">
  | Ran<"failing-run">
  | Ran<"parallel">
  | {
      readonly kind: "sleep";
      readonly before: Recorded;
      readonly after: Recorded;
      /** As recorded before the sleep, and as drawn again on the replay behind it. */
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
      /** Those that tried to complete its promise. */
      readonly answerers: readonly string[];
      /** Its state as a shared handler read it after its end. */
      readonly read: Outcome & { readonly step: string | null };
    };

export interface Outcome {
  readonly invocationId: string;
  readonly done: readonly Done[];
}

/** What an object answers to an add. */
export interface Counted extends Outcome {
  readonly key: string;
  /** The count of its key, this add included. */
  readonly count: number;
}

/** What the run of a workflow answers. */
export interface Answered extends Outcome {
  readonly answer: string;
}

/** What somebody answers who tried to complete a promise. */
export interface Answering extends Outcome {
  /** False where the promise had been completed already. */
  readonly won: boolean;
}
