/** Durations and moments as the pages write them. */

const SECOND_MS = 1_000;
const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", SECOND_MS],
];

/** In at most two units: `2 h 14 m`, `1.24 s`, `380 ms`. */
export function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`;
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${trimmed((ms / SECOND_MS).toFixed(2))} s`;
  if (ms < 60 * SECOND_MS) return `${trimmed((ms / SECOND_MS).toFixed(1))} s`;
  const at = UNITS.findIndex(([, unitMs]) => ms >= unitMs);
  const [unit, unitMs] = UNITS[at]!;
  const [smaller, smallerMs] = UNITS[at + 1]!;
  const whole = Math.floor(ms / unitMs);
  const rest = Math.floor((ms - whole * unitMs) / smallerMs);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;
}

/** In one unit, for ages: `3 m ago`, `in 12 s`, `now` within a second. */
export function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < SECOND_MS) return "now";
  const [unit, unitMs] = UNITS.find(([, size]) => Math.abs(ms) >= size)!;
  const count = `${Math.floor(Math.abs(ms) / unitMs)} ${unit}`;
  return ms > 0 ? `${count} ago` : `in ${count}`;
}

/** `11-22 14:03:07.123`, with the year in front if it is not the year of `nowMs`. */
export function momentText(atMs: number, nowMs: number, isUtc: boolean): string {
  const [at, now] = [dateParts(atMs, isUtc), dateParts(nowMs, isUtc)];
  const day = `${two(at.month)}-${two(at.day)}`;
  const time = `${two(at.hour)}:${two(at.minute)}:${two(at.second)}.${String(at.ms).padStart(3, "0")}`;
  return `${at.year === now.year ? "" : `${at.year}-`}${day} ${time}`;
}

/** The offset of the zone at a moment, such as `UTC` or `UTC+2`. */
export function zoneText(atMs: number, isUtc: boolean): string {
  const minutes = isUtc ? 0 : -new Date(atMs).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${two(rest)}`}`;
}

/** @returns undefined for a text that is no moment */
export function momentOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function dateParts(ms: number, isUtc: boolean) {
  const date = new Date(isUtc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    ms: date.getUTCMilliseconds(),
  };
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** `1.50` becomes `1.5`, and `2.00` becomes `2`. */
function trimmed(decimal: string): string {
  return String(Number(decimal));
}
