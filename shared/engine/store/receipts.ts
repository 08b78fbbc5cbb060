/** The moments of receipt of a segment's entries, stored as differences, mostly one byte each (ADR 0043). */
import type { Entry } from "../../core/invocation/entry.ts";

/**
 * The first number counts back from the moment of the segment, each further one from the number before it; entries after the last
 * number have its moment. So the entries of one answer, which come together, take one number. Differences below 64 ms take a byte.
 * @param entries in the order of the record; undefined moments count as that of the segment
 * @returns at least one number for a segment with entries, because an empty list means that the moments are unknown
 */
export function receiptsToStored(entries: readonly Entry[], writtenAtMs: number): readonly number[] {
  if (entries.every(({ receivedAtMs }) => receivedAtMs === undefined)) return [];
  const stored: number[] = [];
  let beforeMs = writtenAtMs;
  for (const { receivedAtMs = writtenAtMs } of entries) {
    stored.push(zigzag(beforeMs - receivedAtMs));
    beforeMs = receivedAtMs;
  }
  while (stored.length > 1 && stored.at(-1) === 0) stored.pop();
  return stored;
}

/**
 * Gives the moments one after the other, in the order of the record; each is undefined if the moments are unknown. The reader takes
 * one for each entry that it reads.
 */
export function* receiptsFromStored(stored: readonly number[], writtenAtMs: number): Generator<number, undefined> {
  if (stored.length === 0) return undefined;
  let atMs = writtenAtMs;
  for (const one of stored) yield (atMs -= fromZigzag(one));
  for (;;) yield atMs;
}

/** A clock that was set back gives negative differences. They become odd numbers, so that small ones stay small. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
