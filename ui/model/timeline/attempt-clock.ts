/** Finds when the attempts of an invocation began, and when the code of an operation began within an attempt. */
import type { AttemptSpanBody, EntryBody, InvocationBody } from "../../../shared/api/wire/invocation.ts";
import { momentOf } from "../time-text.ts";

export class AttemptClock {
  readonly #spans: readonly (AttemptSpanBody & { readonly startMs: number; readonly endMs: number })[];
  readonly #firstIndex: number;
  /** For each entry, the moment of the last preceding entry whose moment is earlier; undefined if there is none. */
  readonly #earlierMs: readonly (number | undefined)[];

  constructor({ attempt_spans: spans, entries }: Pick<InvocationBody, "attempt_spans" | "entries">) {
    this.#spans = spans.map((span) => ({ ...span, startMs: msOf(span.started_at), endMs: msOf(span.ended_at) }));
    this.#firstIndex = entries[0]?.index ?? 0;
    this.#earlierMs = earlierMoments(entries);
  }

  /**
   * The code of a run begins when its attempt begins or, if that is later, when the entries before the run were stored.
   * @param index the index of the entry with the command
   */
  beginOf(index: number, storedMs: number): number {
    const attempt = this.#spans[this.#before(index)];
    if (attempt === undefined) return storedMs;
    const earlierMs = this.#earlierMs[index - this.#firstIndex] ?? 0;
    return Math.min(storedMs, Math.max(attempt.startMs, earlierMs));
  }

  /** The beginning of the attempt that ended at `endMs`, or was under way then. */
  attemptAt(endMs: number): number | undefined {
    return this.#spans.findLast((span) => span.startMs <= endMs && endMs <= span.endMs)?.startMs;
  }

  /** The place of the last attempt whose first entry is at the index or before it. */
  #before(index: number): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spans[middle]!.entry <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function earlierMoments(entries: readonly EntryBody[]): readonly (number | undefined)[] {
  let text: string | undefined;
  let earlierMs: number | undefined;
  return entries.map(({ at }) => {
    if (text !== undefined && at !== text) earlierMs = msOf(text);
    text = at;
    return earlierMs;
  });
}

let lastText = "";
let lastMs = 0;

/**
 * Reads a moment of the API, which is always well-formed; any other text counts as the epoch. For a long journal, reading moments
 * takes most of the time, and the entries of one attempt have the same moment, so the function remembers the last one.
 */
export function msOf(text: string): number {
  if (text !== lastText) {
    lastMs = momentOf(text) ?? 0;
    lastText = text;
  }
  return lastMs;
}
