/** The busy spans of an invocation, and their density over the width of a minimap. */
import { momentOf } from "../time-text.ts";
import { exchangeParts, otherAttempts } from "./exchanges.ts";
import type { Operation } from "./operation.ts";
import type { TimelineFacts } from "./operations.ts";
import { msOf } from "./receipts.ts";
import { hasFailed } from "./rows.ts";
import { toPx, type Span, type TimeScale } from "./scale.ts";

/** The attempts, with the running one up to now. Waits on open exchanges, sleeps and back-offs are between them. */
export function busySpans(facts: TimelineFacts, nowMs: number): readonly Span[] {
  const { entries } = facts;
  const begin = entries.length === 0 ? [] : [pointAt(msOf(entries[0]!.at))];
  const computing = exchangeParts(facts, nowMs).filter(({ isWaiting }) => !isWaiting);
  return [...begin, ...computing, ...otherAttempts(facts, nowMs)];
}

function pointAt(ms: number): Span {
  return { startMs: ms, endMs: ms };
}

/** The whole time of an invocation: up to its end, or up to now. */
export function wholeSpan({ created_at: created, completed_at: completed }: TimelineFacts, nowMs: number): Span {
  const startMs = msOf(created);
  return { startMs, endMs: Math.max(startMs + 1, momentOf(completed) ?? nowMs) };
}

export type Density = "idle" | "waiting" | "active" | "failed";

export interface DensityRun {
  readonly density: Density;
  readonly fromPx: number;
  readonly widthPx: number;
}

const RANKS: readonly Density[] = ["idle", "waiting", "active", "failed"];

/** Neighbouring pixels of the same density are one run; a failure in a pixel hides everything else there. */
export function densityRuns(
  operations: readonly Operation[],
  busy: readonly Span[],
  scale: TimeScale,
  nowMs: number,
): readonly DensityRun[] {
  const ranks = new Uint8Array(Math.ceil(scale.widthPx) + 1);
  const mark = (startMs: number, endMs: number, rank: number): void => {
    const last = Math.floor(toPx(scale, endMs));
    for (let px = Math.floor(toPx(scale, startMs)); px <= last; px++) if (ranks[px]! < rank) ranks[px] = rank;
  };
  mark(scale.fromMs, scale.toMs, 1);
  for (const { startMs, endMs } of busy) mark(startMs, endMs, 2);
  for (const operation of operations) {
    if (!hasFailed(operation)) continue;
    if (operation.outcome === "failed") mark(operation.endMs ?? nowMs, operation.endMs ?? nowMs, 3);
    for (const { startMs, endMs, last } of operation.tries) {
      mark(startMs, endMs, 3);
      if (last !== undefined) mark(last.startMs, last.endMs, 3);
    }
  }
  return runsOf(ranks);
}

function runsOf(ranks: Uint8Array): readonly DensityRun[] {
  const runs: DensityRun[] = [];
  for (let at = 0; at < ranks.length;) {
    let end = at + 1;
    while (end < ranks.length && ranks[end] === ranks[at]) end++;
    runs.push({ density: RANKS[ranks[at]!]!, fromPx: at, widthPx: end - at });
    at = end;
  }
  return runs;
}

/**
 * Reads the range in the address of the page, such as `1200-5400`, in milliseconds since the creation of the invocation.
 * @returns undefined for any other text, and for a range that begins after the whole span
 */
export function rangeIn(text: string | null, whole: Span): Span | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "");
  if (match === null) return undefined;
  const [from, to] = [whole.startMs + Number(match[1]), whole.startMs + Number(match[2])];
  return to > from && from < whole.endMs ? { startMs: from, endMs: Math.min(to, whole.endMs) } : undefined;
}

export function rangeText({ startMs, endMs }: Span, whole: Span): string {
  return `${Math.max(0, Math.floor(startMs - whole.startMs))}-${Math.ceil(endMs - whole.startMs)}`;
}

/** A narrower or wider range around a middle, within the whole. */
export function zoomed(shown: Span, whole: Span, factor: number, middleMs = (shown.startMs + shown.endMs) / 2): Span {
  const lengthMs = Math.min(whole.endMs - whole.startMs, Math.max(1, (shown.endMs - shown.startMs) * factor));
  const share = (middleMs - shown.startMs) / (shown.endMs - shown.startMs);
  return within(middleMs - share * lengthMs, lengthMs, whole);
}

/** @param share the distance as a share of the shown length; a negative share goes back */
export function panned(shown: Span, whole: Span, share: number): Span {
  const lengthMs = shown.endMs - shown.startMs;
  return within(shown.startMs + share * lengthMs, lengthMs, whole);
}

function within(fromMs: number, lengthMs: number, whole: Span): Span {
  const startMs = Math.min(Math.max(fromMs, whole.startMs), whole.endMs - lengthMs);
  return { startMs, endMs: startMs + lengthMs };
}
