/** An operation of a handler, which is one row of a timeline: a command and its completion. */
import type { AttemptFailureBody } from "../../../shared/api/contract/invocations.ts";
import type { CommandKind } from "../../../shared/core/protocol/command-words.ts";
import { durationText } from "../time-text.ts";
import type { Span } from "./scale.ts";

export type OperationKind = CommandKind | "attempt" | "other";

export type OperationOutcome = "done" | "failed" | "running" | "retrying" | "waiting";

/** Consecutive attempts that failed at this operation in the same way: the first one, and the last one if there are several. */
export interface FailedTry {
  readonly startMs: number;
  readonly endMs: number;
  /** True if the code began between `startMs` and `endMs`: an attempt replays the steps before it, and does not say how long that takes. */
  readonly isBound?: true;
  readonly failure: AttemptFailureBody;
  /** 1 and more. */
  readonly times: number;
  readonly last?: Span;
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
  /** Present if the times are unknown: the operation happened within this span, and the bar shows only its order among the others. */
  readonly within?: Span;
  /** The result has an earlier moment than its command: two servers with different clocks noted them, so the time between is unknown. */
  readonly clocksDiffer?: true;
  /** The code that brought the result ran after this moment, if the command is from an earlier attempt. */
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

/** How long the operation took or takes: exactly, or, if its times are unknown, at most. */
export function tookText({ startMs, endMs, within, clocksDiffer }: Operation, nowMs: number): string {
  if (clocksDiffer === true) return "unknown";
  if (within !== undefined) return `≤ ${durationText(within.endMs - within.startMs)}`;
  return durationText((endMs ?? nowMs) - startMs);
}

/** The failed attempts, of which each counts. */
export function failedCount({ tries }: Pick<Operation, "tries">): number {
  return tries.reduce((sum, { times }) => sum + times, 0);
}

/** True for the kinds in which the invocation waits and computes nothing. */
export function isWait(kind: OperationKind): boolean {
  return kind === "sleep" || kind === "awakeable" || kind === "promise" || kind === "signal" || kind === "attach";
}
