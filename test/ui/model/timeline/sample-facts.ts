/** Facts of invocations for tests of the timeline. */
import type { AttemptFailureBody, EntryBody } from "../../../../shared/api/contract/invocations.ts";
import { operationsOf, type TimelineFacts } from "../../../../ui/model/timeline/operations.ts";

export const ORIGIN_MS = Date.UTC(2026, 10, 24, 12);

/** @param ms the milliseconds since the creation of the sample invocation */
export function at(ms: number): string {
  return new Date(ORIGIN_MS + ms).toISOString().replace("Z", "000000Z");
}

type More = Partial<Omit<EntryBody, "index" | "type" | "at">>;

/** @param rows one row per entry: type without its prefix, moment, other fields; a row with `completes` is a notification */
export function entriesOf(rows: readonly (readonly [type: string, atMs: number, more?: More])[]): readonly EntryBody[] {
  return rows.map(([type, ms, more = {}], index) => {
    const isNotification = more.completes !== undefined || type === "Signal";
    return { index, type: `${isNotification ? "Notification" : "Command"}: ${type}`, at: at(ms), ...more };
  });
}

export function factsOf(entries: readonly EntryBody[], more: Partial<TimelineFacts> = {}): TimelineFacts {
  return { status: "completed", created_at: at(0), entries, attempt_spans: [], events: [], ...more };
}

export function failureAt(ms: number, more: Partial<AttemptFailureBody> = {}): AttemptFailureBody {
  return { error_code: "RT0007", code: 500, message: "boom", at: at(ms), ...more };
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const attempt = (number: number, entry: number, from: number, to: number) => ({
  attempt: number,
  entry,
  started_at: at(from),
  ended_at: at(to),
});

export type Relative = readonly [label: string, startMs: number, endMs: number | undefined, within?: readonly number[]];

/** Label, start, end and bound of each operation but the input, in milliseconds since the creation. */
export function timesOf(entries: readonly EntryBody[], more: Partial<TimelineFacts> = {}): readonly Relative[] {
  const operations = operationsOf(factsOf(entries, more)).filter(({ kind }) => kind !== "input");
  return operations.map(({ label, startMs, endMs, within }) => {
    const own = [label, startMs - ORIGIN_MS, endMs === undefined ? undefined : endMs - ORIGIN_MS] as const;
    return within ? [...own, [within.startMs - ORIGIN_MS, within.endMs - ORIGIN_MS]] : own;
  });
}
