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

/** What is kept of words and stack traces: strangers choose how long theirs are, and repeat them at each attempt. */
const MESSAGE_MAX_CHARS = 8192;
const STACKTRACE_MAX_CHARS = 4096;

/**
 * A failure as far as it is kept. The invocation in memory carries no more than the stored one,
 * so that what an operator is shown does not depend on who is asked.
 */
export function keptFailure(failure: AttemptFailure): AttemptFailure {
  const { message, stacktrace } = failure;
  return {
    ...failure,
    message: cutTo(MESSAGE_MAX_CHARS, message),
    ...(stacktrace !== undefined && { stacktrace: cutTo(STACKTRACE_MAX_CHARS, stacktrace) }),
  };
}

/** Half a surrogate pair would be stored as another character than the one in memory. */
function cutTo(maxChars: number, text: string): string {
  if (text.length <= maxChars) return text;
  const lastUnit = text.charCodeAt(maxChars - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? maxChars - 1 : maxChars);
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
