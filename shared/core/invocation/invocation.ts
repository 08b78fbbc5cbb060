/** An invocation in memory: its acceptance, every segment folded in, and the current phase. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { Result } from "../model/failure.ts";
import type { Acceptance } from "./acceptance.ts";
import type { Entry, NotificationEntry } from "./entry.ts";
import { append, EMPTY_JOURNAL, grow, growing, type GrowingJournal, type Journal } from "./journal.ts";
import { NO_RETRIES, type Pin, type Retries, type Segment } from "./segment.ts";

/** The status of an invocation with the fields of that status. A `pending` invocation waits for the lock of its key. */
export type Phase =
  | { readonly status: "scheduled"; readonly startAtMs: number }
  | { readonly status: "pending" }
  | { readonly status: "ready" }
  | { readonly status: "running" }
  | { readonly status: "backing-off"; readonly retryAtMs: number }
  /** `fresh` are the notifications that the commit of the suspending attempt created (I5). */
  | { readonly status: "suspended"; readonly awaiting: Await; readonly fresh: readonly NotificationEntry[] }
  | { readonly status: "paused" }
  | {
      readonly status: "completed";
      readonly result: Result;
      readonly endedAtMs: number;
      readonly tombstone: boolean;
      readonly killed: boolean;
    };

export type Status = Phase["status"];

export interface Invocation {
  readonly acceptance: Acceptance;
  /** The index of the last segment; 0 is the acceptance. */
  readonly segmentIndex: number;
  readonly phase: Phase;
  readonly journal: Journal;
  /**
   * Keys of the arrivals that segments list: their notifications are in the journal, their orders have been obeyed; these
   * arrivals are never fresh again.
   */
  readonly consumed: ReadonlySet<string>;
  readonly pin?: Pin;
  /** The grant of the lock, from the last segment that has one. */
  readonly grant?: number;
  readonly retries: Retries;
  /** The number of attempts since the acceptance, as far as stored items show. */
  readonly attempts: number;
  /** True if the last segment paused or resumed the invocation before its first attempt. */
  readonly neverBegan?: boolean;
  /**
   * The index of the last segment by which a pause took the invocation out of the queue of its key. A grant from before that
   * segment is void.
   */
  readonly leftQueueAt?: number;
  readonly lastFailure?: AttemptFailure;
  /** How many failures like the last one the segments show; absent if they show no repeats. */
  readonly repeatsKept?: number;
  /** The moment at which the last segment was written. */
  readonly modifiedAtMs: number;
}

/** @param input the Input entry, which the engine builds from the acceptance; it opens every journal */
export function accepted(acceptance: Acceptance, input: Invocation["journal"]["entries"][number]): Invocation {
  const { createdAtMs } = acceptance;
  return {
    acceptance,
    segmentIndex: 0,
    phase: beforeStart(acceptance, createdAtMs),
    journal: append(EMPTY_JOURNAL, [input]),
    consumed: new Set(),
    retries: NO_RETRIES,
    attempts: 0,
    modifiedAtMs: createdAtMs,
  };
}

function beforeStart({ startAtMs }: Acceptance, atMs: number): Phase {
  return startAtMs !== undefined && startAtMs > atMs ? { status: "scheduled", startAtMs } : { status: "ready" };
}

const NOTHING_TAKEN: ReadonlySet<string> = new Set();

/** Adds one segment to the invocation. A new segment and a segment that was read back are added in the same way. */
export function fold(invocation: Invocation, segment: Segment): Invocation {
  const { consumed, entries, orders = [] } = segment;
  if (segment.endAlone) return moved(invocation, segment, EMPTY_JOURNAL, NOTHING_TAKEN);
  if (consumed.length + orders.length === 0)
    return moved(invocation, segment, append(invocation.journal, entries), invocation.consumed);
  const added = consumed.map(({ entry }): Entry => entry).concat(entries);
  const keys = new Set(invocation.consumed);
  for (const { key } of consumed) keys.add(key);
  for (const key of orders) keys.add(key);
  return moved(invocation, segment, append(invocation.journal, added), keys);
}

/**
 * Folds many segments that were read back. The cost of a segment is proportional to the number of entries that the segment adds.
 */
export class Folding {
  readonly #journal: GrowingJournal;
  readonly #taken: Set<string>;
  #invocation: Invocation;

  constructor(from: Invocation) {
    this.#journal = growing(from.journal);
    this.#taken = new Set(from.consumed);
    this.#invocation = { ...from, journal: this.#journal, consumed: this.#taken };
  }

  /** The invocation after the segments so far; its journal grows in place with the next `add`. */
  get invocation(): Invocation {
    return this.#invocation;
  }

  add(segment: Segment): void {
    for (const { key, entry } of segment.consumed) {
      this.#taken.add(key);
      grow(this.#journal, entry);
    }
    for (const key of segment.orders ?? []) this.#taken.add(key);
    for (const entry of segment.entries) grow(this.#journal, entry);
    this.#invocation = moved(this.#invocation, segment, this.#journal, this.#taken);
  }
}

function moved(invocation: Invocation, segment: Segment, journal: Journal, consumed: ReadonlySet<string>): Invocation {
  const pin = segment.pin ?? invocation.pin;
  const grant = segment.grant ?? invocation.grant;
  const { after } = segment;
  const keepsFailure = after.kind === "running" || after.kind === "paused";
  const lastFailure = segment.failure ?? (keepsFailure ? invocation.lastFailure : undefined);
  const keptBefore = segment.repeats?.times ?? invocation.repeatsKept;
  // A failure in the segment is stored with its own count.
  const repeatsKept = segment.failure === undefined ? keptBefore : segment.failure.times;
  const neverBegan = after.kind === "ready" || (after.kind === "paused" && after.neverBegan);
  const leftQueueAt = after.kind === "paused" && after.leavesQueue ? segment.index : invocation.leftQueueAt;
  return {
    acceptance: invocation.acceptance,
    segmentIndex: segment.index,
    phase: phaseAfter(invocation.acceptance, segment),
    journal,
    consumed,
    retries: segment.retries,
    attempts: Math.max(invocation.attempts, segment.attempt?.number ?? 0, segment.repeats?.attempt ?? 0),
    modifiedAtMs: segment.writtenAtMs,
    ...(pin && { pin }),
    ...(grant !== undefined && { grant }),
    ...(neverBegan && { neverBegan }),
    ...(leftQueueAt !== undefined && { leftQueueAt }),
    ...(lastFailure && { lastFailure }),
    ...(lastFailure && repeatsKept !== undefined && { repeatsKept }),
  };
}

function phaseAfter(acceptance: Acceptance, { after, entries, writtenAtMs }: Segment): Phase {
  switch (after.kind) {
    case "ready":
      return beforeStart(acceptance, writtenAtMs);
    case "running":
    case "paused":
      return { status: after.kind };
    case "suspended":
      return {
        status: "suspended",
        awaiting: after.awaiting,
        fresh: entries.filter((entry) => entry.kind === "notification"),
      };
    case "completed": {
      const { result, tombstone, killed } = after;
      return { status: "completed", result, endedAtMs: writtenAtMs, tombstone, killed };
    }
  }
}

/** The moment from which the journal of a completed invocation counts as gone; undefined while the invocation is open. */
export function journalExpiresAtMs({ acceptance, phase }: Invocation): number | undefined {
  if (phase.status !== "completed") return undefined;
  return phase.endedAtMs + Math.min(acceptance.journalRetentionMs, acceptance.completionRetentionMs);
}

/** Every journal contains at least the input, so an empty journal is a dropped one. */
export function hasJournal(invocation: Invocation, atMs: number): boolean {
  return invocation.journal.entries.length > 0 && atMs < (journalExpiresAtMs(invocation) ?? Infinity);
}

/** The moment from which a completed invocation counts as gone; undefined while the invocation is open. */
export function expiresAtMs({ acceptance, phase }: Invocation): number | undefined {
  if (phase.status !== "completed") return undefined;
  if (phase.tombstone) return phase.endedAtMs;
  return phase.endedAtMs + acceptance.completionRetentionMs;
}
