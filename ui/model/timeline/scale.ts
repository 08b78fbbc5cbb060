/** The scale of a timeline: from moments to pixels and back, with long waits collapsed to one width. */

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A part of the scale. Within it, pixels grow with time at one rate. */
export interface ScalePart {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fromPx: number;
  readonly toPx: number;
  /** The part has only waits, and its width says nothing about its time. */
  readonly isGap: boolean;
}

export interface TimeScale {
  readonly parts: readonly ScalePart[];
  readonly widthPx: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export const GAP_PX = 48;
const GAP_MIN_MS = 2_000;
const GAP_MIN_SHARE = 0.1;
/** Gaps take at most this share of the width. If there are too many waits, the scale collapses only the longest ones. */
const GAPS_MAX_SHARE = 0.5;
/** A scale shows at least this much time, because a span of length 0 would have no scale. */
const SPAN_MIN_MS = 1;

/**
 * @param shown the part of time that is visible
 * @param busy the spans in which something computes, in any order; if undefined, no wait is collapsed
 */
export function timeScale(shown: Span, widthPx: number, busy: readonly Span[] | undefined): TimeScale {
  const fromMs = shown.startMs;
  const toMs = Math.max(shown.endMs, fromMs + SPAN_MIN_MS);
  const gaps = busy === undefined ? [] : gapsIn({ startMs: fromMs, endMs: toMs }, widthPx, busy);
  const gapMs = gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const activeMs = toMs - fromMs - gapMs;
  const pxPerMs = activeMs > 0 ? (widthPx - gaps.length * GAP_PX) / activeMs : 0;
  // Without any activity, the gaps share the whole width.
  const gapPx = activeMs > 0 ? GAP_PX : widthPx / gaps.length;
  const parts: ScalePart[] = [];
  let atMs = fromMs;
  let atPx = 0;
  const add = (untilMs: number, px: number, isGap: boolean): void => {
    if (untilMs <= atMs) return;
    parts.push({ fromMs: atMs, toMs: untilMs, fromPx: atPx, toPx: atPx + px, isGap });
    atMs = untilMs;
    atPx += px;
  };
  for (const { startMs, endMs } of gaps) {
    add(startMs, (startMs - atMs) * pxPerMs, false);
    add(endMs, gapPx, true);
  }
  add(toMs, (toMs - atMs) * pxPerMs, false);
  return { parts, widthPx, fromMs, toMs };
}

/** A moment outside of the scale gets the nearer edge. */
export function toPx({ parts, fromMs, toMs, widthPx }: TimeScale, ms: number): number {
  if (ms <= fromMs) return 0;
  if (ms >= toMs) return widthPx;
  const part = parts.find((one) => ms <= one.toMs)!;
  return part.fromPx + ((ms - part.fromMs) / (part.toMs - part.fromMs)) * (part.toPx - part.fromPx);
}

export function toMs({ parts, fromMs, toMs: endMs, widthPx }: TimeScale, px: number): number {
  if (px <= 0) return fromMs;
  if (px >= widthPx) return endMs;
  const part = parts.find((one) => px <= one.toPx)!;
  return part.fromMs + ((px - part.fromPx) / (part.toPx - part.fromPx)) * (part.toMs - part.fromMs);
}

export function gapsOf({ parts }: TimeScale): readonly ScalePart[] {
  return parts.filter(({ isGap }) => isGap);
}

function gapsIn(shown: Span, widthPx: number, busy: readonly Span[]): readonly Span[] {
  const leastMs = Math.max(GAP_MIN_MS, GAP_MIN_SHARE * (shown.endMs - shown.startMs));
  const longest = idleIn(shown, busy)
    .filter(({ startMs, endMs }) => endMs - startMs >= leastMs)
    .sort((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs));
  const most = Math.floor((GAPS_MAX_SHARE * widthPx) / GAP_PX);
  return longest.slice(0, most).sort((a, b) => a.startMs - b.startMs);
}

function idleIn({ startMs, endMs }: Span, busy: readonly Span[]): Span[] {
  const idle: Span[] = [];
  let atMs = startMs;
  for (const span of [...busy].sort((a, b) => a.startMs - b.startMs)) {
    if (span.endMs < startMs || span.startMs > endMs) continue;
    if (span.startMs > atMs) idle.push({ startMs: atMs, endMs: Math.min(span.startMs, endMs) });
    atMs = Math.max(atMs, span.endMs);
  }
  if (atMs < endMs) idle.push({ startMs: atMs, endMs });
  return idle;
}
