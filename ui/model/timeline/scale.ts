/** The scale of a timeline: from moments to pixels and back, with long waits collapsed to one width. */
import { durationText } from "../time-text.ts";

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

/** The ticks of a timeline's axis: moments since the beginning, in round steps. */
interface Tick {
  readonly atMs: number;
  readonly px: number;
  readonly text: string;
}

const TICKS_MAX = 8;
const TICK_MIN_PX = 64;
const UNIT_STEPS = [1, 2, 5, 10, 15, 30];
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LARGEST_DAYS = 100_000;

/** @param originMs the moment that the ticks count from */
export function ticksOf(scale: TimeScale, originMs: number): readonly Tick[] {
  const active = scale.parts.filter(({ isGap }) => !isGap);
  const activeMs = active.reduce((sum, part) => sum + part.toMs - part.fromMs, 0);
  if (activeMs <= 0) return [];
  const most = Math.max(2, Math.min(TICKS_MAX, Math.floor(scale.widthPx / TICK_MIN_PX)));
  const stepMs = stepFor(activeMs / most);
  const ticks: Tick[] = [];
  let lastPx = -Infinity;
  for (const { fromMs, toMs: endMs } of active) {
    for (let at = Math.ceil((fromMs - originMs) / stepMs); originMs + at * stepMs <= endMs; at++) {
      const atMs = originMs + at * stepMs;
      const px = toPx(scale, atMs);
      // Two active parts beside a collapsed wait may have ticks that nearly touch.
      if (px - lastPx < TICK_MIN_PX && lastPx >= 0) continue;
      ticks.push({ atMs, px, text: tickText(at * stepMs, stepMs) });
      lastPx = px;
    }
  }
  return ticks;
}

/** Two units are enough for most ticks. If the step is finer, so that neighbours would read alike, the text has all units down to it. */
function tickText(ms: number, stepMs: number): string {
  if (ms === 0) return "0";
  if (durationText(ms) !== durationText(ms - stepMs) && durationText(ms) !== durationText(ms + stepMs))
    return durationText(ms);
  const [sign, size] = ms < 0 ? ["-", -ms] : ["", ms];
  const whole = Math.floor(size / MINUTE_MS) * MINUTE_MS;
  const seconds = Number(((size - whole) / SECOND_MS).toFixed(3));
  if (whole === 0) return `${sign}${seconds} s`;
  return `${sign}${longText(whole)}${seconds === 0 ? "" : ` ${seconds} s`}`;
}

function longText(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, unitMs] of [
    ["d", DAY_MS],
    ["h", HOUR_MS],
    ["m", MINUTE_MS],
  ] as const) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(" ");
}

/** The smallest round step that is larger than the given time. */
function stepFor(leastMs: number): number {
  for (const step of steps()) if (step > leastMs) return step;
  return LARGEST_DAYS * DAY_MS;
}

/**
 * The round steps, from the smallest on: 1, 2 and 5 times 1, 10 and 100 milliseconds; 1, 2, 5, 10, 15 and 30 seconds; 1, 2, 5,
 * 10, 15 and 30 minutes; 1, 2, 5 and 12 hours; and 1, 2, 5, 10, 20, 50 days and so on.
 */
function* steps(): Generator<number> {
  for (const power of [1, 10, 100]) for (const step of [1, 2, 5]) yield step * power;
  for (const step of UNIT_STEPS) yield step * SECOND_MS;
  for (const step of UNIT_STEPS) yield step * MINUTE_MS;
  for (const step of [1, 2, 5, 12]) yield step * HOUR_MS;
  for (let power = 1; power < LARGEST_DAYS; power *= 10) for (const step of [1, 2, 5]) yield step * power * DAY_MS;
}
