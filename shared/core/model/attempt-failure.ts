/** Why an attempt did not get through: shown to operators, kept with the invocation, never shown to callers. */

export interface RelatedCommand {
  /** Counts commands only, the input being 0; may point one past the stored journal. */
  readonly index?: number;
  readonly name?: string;
  readonly type?: string;
}

/** Both sides of a journal mismatch. */
export interface Mismatch {
  /** Of the command, the input being 0. */
  readonly index: number;
  /** Whose code came to another command. */
  readonly deploymentId: string;
  /** What the journal has there; absent where it has nothing. */
  readonly recorded?: { readonly type?: string; readonly name?: string };
  /** What the code does now. */
  readonly offered: { readonly type?: string; readonly name?: string };
  /** The first field that differs, where the commands are of one type. */
  readonly field?: { readonly name: string; readonly recorded: string; readonly offered: string };
}

export interface AttemptFailure {
  /** A code of the error table, `RT0007` for instance. */
  readonly errorCode: string;
  /** The protocol's number: 500, 570, 571, ... */
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly atMs: number;
  readonly relatedCommand?: RelatedCommand;
  /** RT0016 only. */
  readonly mismatch?: Mismatch;
}

/** True where telling the second would add nothing to the first: the time alone differs. */
export function sameFailure(a: AttemptFailure | undefined, b: AttemptFailure): boolean {
  return (
    a !== undefined &&
    a.errorCode === b.errorCode &&
    a.code === b.code &&
    a.message === b.message &&
    a.relatedCommand?.index === b.relatedCommand?.index
  );
}
