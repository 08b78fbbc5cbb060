/** Why an attempt did not get through: shown to operators, kept with the invocation, never shown to callers. */

export interface RelatedCommand {
  /** Counts commands only, the input being 0; may point one past the stored journal. */
  readonly index?: number;
  readonly name?: string;
  readonly type?: string;
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
