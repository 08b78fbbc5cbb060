/** The ticks of a timeline's axis: moments since the beginning, in round steps. */
import { durationText } from "../time-text.ts";
import { toPx, type TimeScale } from "./scale.ts";

export interface Tick {
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
