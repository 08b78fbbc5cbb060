/**
 * Says what is known about the times of a journal: when each entry came from the handler, and the bounds of what the moments of
 * receipt do not show.
 */
import type { AttemptSpanBody, EntryBody, InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { momentOf } from "../time-text.ts";
import { isCommand, messageName } from "./entry-kinds.ts";
import type { Span } from "./scale.ts";

/** Entries that come within this time may have been sent together. */
export const TOGETHER_MS = 5;

/** An attempt that stored entries. */
export type KnownAttempt = Span & Pick<AttemptSpanBody, "attempt" | "entry">;

/**
 * Entries that came in one piece. The handler sent them in their order after `fromMs` and until `atMs`; no more is known. If some
 * of them are results of steps whose commands came with them, time passed between, and `placeOf` spreads them in their order.
 */
interface Piece {
  readonly fromMs: number;
  readonly atMs: number;
  readonly steps: number;
}

interface Place {
  readonly piece: Piece;
  /** How many of the piece's steps had ended when the handler sent the entry. */
  readonly ended: number;
}

export class Receipts {
  readonly attempts: readonly KnownAttempt[];
  readonly #places = new Map<number, Place>();

  constructor({
    attempt_spans: spans,
    entries,
    created_at: created,
  }: Pick<InvocationBody, "attempt_spans" | "entries" | "created_at">) {
    this.attempts = spans.map((span) => ({
      attempt: span.attempt,
      entry: span.entry,
      startMs: msOf(span.started_at),
      endMs: msOf(span.ended_at),
    }));
    const sent = entries.filter(isSent);
    let beforeMs = msOf(created);
    for (let at = 0; at < sent.length;) {
      let end = at + 1;
      while (end < sent.length && sent[end]!.at === sent[at]!.at) end++;
      beforeMs = this.#addPiece(sent.slice(at, end), beforeMs);
      at = end;
    }
  }

  #addPiece(sent: readonly EntryBody[], beforeMs: number): number {
    const atMs = msOf(sent[0]!.at);
    const begunMs = this.attemptOf(sent[0]!.index)?.startMs ?? 0;
    const commands = new Set(sent.filter(isCommand).map(({ index }) => index));
    const isStep = ({ completes }: EntryBody): boolean => completes !== undefined && commands.has(completes);
    const piece = { fromMs: Math.min(atMs, Math.max(beforeMs, begunMs)), atMs, steps: sent.filter(isStep).length };
    let ended = 0;
    for (const entry of sent) {
      if (isStep(entry)) ended++;
      this.#places.set(entry.index, { piece, ended });
    }
    return Math.max(beforeMs, atMs);
  }

  /** The attempt that stored the entry; undefined if no stored attempt did. */
  attemptOf(index: number): KnownAttempt | undefined {
    let low = 0;
    let high = this.attempts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.attempts[middle]!.entry <= index) low = middle + 1;
      else high = middle;
    }
    return this.attempts[low - 1];
  }

  /** The handler sent the entry after this moment: it had not begun, or had sent no more than the entries before. */
  earliestOf(index: number): number {
    return this.#places.get(index)?.piece.fromMs ?? 0;
  }

  /**
   * Where the entry is drawn: at its receipt, or, if time passed within its piece, at an even share of that time, which shows no more
   * than the order.
   */
  placeOf(entry: EntryBody): number {
    const place = this.#places.get(entry.index);
    if (place === undefined || place.piece.steps === 0) return msOf(entry.at);
    const { fromMs, atMs, steps } = place.piece;
    return fromMs + ((atMs - fromMs) * place.ended) / steps;
  }

  /** True if time passed within the piece of the entry, so that its place shows no more than its order. */
  isSpread(index: number): boolean {
    return (this.#places.get(index)?.piece.steps ?? 0) > 0;
  }

  /** The last receipt from the handler within a span, of entries up to the index; undefined if there is none. */
  lastWithin({ startMs, endMs }: Span, upTo: number): number | undefined {
    let lastMs: number | undefined;
    for (const [index, { piece }] of this.#places) {
      if (index > upTo || piece.atMs <= startMs || piece.atMs > endMs) continue;
      lastMs = Math.max(lastMs ?? 0, piece.atMs);
    }
    return lastMs;
  }

  /** The beginning of the attempt that ended at `endMs`, or was under way then. */
  attemptAt(endMs: number): number | undefined {
    return this.attempts.findLast((span) => span.startMs <= endMs && endMs <= span.endMs)?.startMs;
  }
}

/** True for what the handler sends: commands, except for the input, and the results of runs. */
export function isSent(entry: EntryBody): boolean {
  return isCommand(entry) ? entry.index > 0 : messageName(entry) === "Run";
}

let lastText = "";
let lastMs = 0;

/**
 * Reads a moment of the API, which is always well-formed; any other text counts as the epoch. For a long journal, reading moments
 * takes most of the time, and the entries of one piece have the same moment, so the function remembers the last one.
 */
export function msOf(text: string): number {
  if (text !== lastText) {
    lastMs = momentOf(text) ?? 0;
    lastText = text;
  }
  return lastMs;
}
