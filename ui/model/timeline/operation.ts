/** An operation of a handler, which is one row of a timeline: a command and its completion. */
import type { AttemptFailureBody } from "../../../shared/api/wire/invocation.ts";

export type OperationKind =
  | "input"
  | "run"
  | "call"
  | "send"
  | "sleep"
  | "state"
  | "awakeable"
  | "promise"
  | "signal"
  | "attach"
  | "output"
  | "attempt"
  | "other";

export type OperationOutcome = "done" | "failed" | "running" | "retrying" | "waiting";

/** An attempt that failed at this operation. */
export interface FailedTry {
  readonly startMs: number;
  readonly endMs: number;
  readonly failure: AttemptFailureBody;
}

export interface Operation {
  /** Unique within an invocation. For an operation with entries, the index of the first one. */
  readonly key: string;
  /** The indexes of its entries, in order; empty for a wait or an attempt that the journal does not have yet. */
  readonly entries: readonly number[];
  readonly kind: OperationKind;
  /** Chosen by a handler: a name, a key or a target. */
  readonly label: string;
  readonly startMs: number;
  /** Undefined while the operation goes on. */
  readonly endMs?: number;
  readonly outcome: OperationOutcome;
  readonly tries: readonly FailedTry[];
  /** The beginning of the attempt that brought the result, if others had failed before. */
  readonly resultFromMs?: number;
  /** The moment at which a sleep or a back-off ends by itself. */
  readonly wakeAtMs?: number;
  /** The called or attached invocation. */
  readonly childId?: string;
}

interface KindLook {
  readonly glyph: string;
  readonly word: string;
}

const LOOKS: Readonly<Record<OperationKind, KindLook>> = {
  input: { glyph: "→", word: "input" },
  run: { glyph: "λ", word: "run" },
  call: { glyph: "↳", word: "call" },
  send: { glyph: "⇢", word: "send" },
  sleep: { glyph: "◷", word: "sleep" },
  state: { glyph: "◆", word: "state" },
  awakeable: { glyph: "◔", word: "awakeable" },
  promise: { glyph: "◇", word: "promise" },
  signal: { glyph: "⚑", word: "signal" },
  attach: { glyph: "⇄", word: "attach" },
  output: { glyph: "←", word: "output" },
  attempt: { glyph: "▷", word: "attempt" },
  other: { glyph: "·", word: "entry" },
};

export function lookOfKind(kind: OperationKind): KindLook {
  return LOOKS[kind];
}

/** True for an operation without a duration: a state change, a send, the input, the output. */
export function isPoint({ kind, startMs, endMs }: Operation): boolean {
  return endMs === startMs && kind !== "run" && kind !== "call";
}

/** True for the kinds in which the invocation waits and computes nothing. */
export function isWait(kind: OperationKind): boolean {
  return kind === "sleep" || kind === "awakeable" || kind === "promise" || kind === "signal" || kind === "attach";
}
