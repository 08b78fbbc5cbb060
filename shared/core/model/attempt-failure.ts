/** Why an attempt failed: kept with the invocation for operators. Callers see only a failure that ends the invocation. */
import type { DeploymentId } from "./ids.ts";

export interface RelatedCommand {
  /** The index among the commands; the input is 0. It may be one past the stored journal. */
  readonly index?: number;
  readonly name?: string;
  readonly type?: string;
}

/** Both sides of a journal mismatch. */
export interface Mismatch {
  /** The index of the command; the input is 0. */
  readonly index: number;
  /** The index of the same command among all entries, as operators see it. */
  readonly entry?: number;
  /** The deployment whose code reached another command. */
  readonly deploymentId: string;
  /** The command in the journal; absent if the journal has none at this index. */
  readonly recorded?: { readonly type?: string; readonly name?: string };
  /** The command of the current code. */
  readonly offered: { readonly type?: string; readonly name?: string };
  /** The first differing field, if both commands have the same type. */
  readonly field?: { readonly name: string; readonly recorded: string; readonly offered: string };
}

/** The last one of several consecutive attempts that failed in the same way; only the first one of them is stored by itself. */
export interface Repeats {
  /** How many attempts have failed in this way, the first one included. */
  readonly times: number;
  /** The number of the last one. */
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly atMs: number;
}

export interface AttemptFailure {
  /** A code of the error table, such as `RT0007`. */
  readonly errorCode: string;
  /** The protocol's error code: 500, 570, 571, ... */
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly atMs: number;
  /** When the failed attempt began; kept only if that attempt added no entry, else its segment has the moment. */
  readonly startedAtMs?: number;
  /** The number of the failed attempt; `counted` adds it. */
  readonly attempt?: number;
  /** How many consecutive attempts have failed in this way, up to this one; `counted` adds it. */
  readonly times?: number;
  /** In a stored failure: the repeats of the other failure before it, which no segment has. */
  readonly before?: Repeats;
  readonly relatedCommand?: RelatedCommand;
  /** RT0016 only. */
  readonly mismatch?: Mismatch;
  /** The deployment of the attempt, if the invocation has no pin that names it. Absent if the attempt had no deployment. */
  readonly deploymentId?: DeploymentId;
}

/** The largest size of a command's name in a failure; the bound lets a failure event fit into one write unit. */
const NAME_MAX_BYTES = 256;

/** The name of a command as failures keep, show and log it: handlers choose names of any length. */
export function keptName(name: string): string {
  return cutToBytes(name, NAME_MAX_BYTES);
}

/** The limits of stored messages and stack traces: a deployment chooses their length, and repeats them at each attempt. */
const MESSAGE_MAX_CHARS = 8192;
const STACKTRACE_MAX_CHARS = 4096;

/**
 * Cuts a failure to its stored length. The invocation in memory carries the same texts as the stored one, so that
 * operators see the same failure from every process.
 */
export function keptFailure(failure: AttemptFailure): AttemptFailure {
  const { message, stacktrace, relatedCommand } = failure;
  return {
    ...failure,
    message: cutTo(MESSAGE_MAX_CHARS, message),
    ...(stacktrace !== undefined && { stacktrace: cutTo(STACKTRACE_MAX_CHARS, stacktrace) }),
    ...(relatedCommand?.name !== undefined && {
      relatedCommand: { ...relatedCommand, name: keptName(relatedCommand.name) },
    }),
  };
}

/** Never cuts a surrogate pair in half, because the store would replace the half with another character. */
function cutTo(maxChars: number, text: string): string {
  if (text.length <= maxChars) return text;
  const lastUnit = text.charCodeAt(maxChars - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? maxChars - 1 : maxChars);
}

/** True if both failures have the same codes, message and command, so that recording the second one adds nothing. */
export function sameFailure(a: AttemptFailure | undefined, b: AttemptFailure): boolean {
  return (
    a !== undefined &&
    a.errorCode === b.errorCode &&
    a.code === b.code &&
    a.message === b.message &&
    a.relatedCommand?.index === b.relatedCommand?.index
  );
}

const ELLIPSIS = "…";
const ELLIPSIS_BYTES = 3;
/** A unit of UTF-16 takes at most three bytes of UTF-8. */
const UNIT_MAX_BYTES = 3;

const encoder = new TextEncoder();

/**
 * Never cuts a character in half. Reads no more of the text than fits.
 * @param maxBytes the limit in bytes of UTF-8, at least three
 * @returns the text, or its beginning with an ellipsis, in at most `maxBytes` bytes
 */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * UNIT_MAX_BYTES <= maxBytes) return text;
  if (encoder.encodeInto(text, new Uint8Array(maxBytes)).read === text.length) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes - ELLIPSIS_BYTES));
  return `${text.slice(0, read)}${ELLIPSIS}`;
}
