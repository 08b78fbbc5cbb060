/** An invocation in memory: its acceptance with every segment folded in, and where it stands now. */
import type { AttemptFailure } from "../model/attempt-failure.ts";
import type { Await } from "../model/await-tree.ts";
import type { Result } from "../model/failure.ts";
import type { Acceptance } from "./acceptance.ts";
import type { Entry, NotificationEntry } from "./entry.ts";
import { append, EMPTY_JOURNAL, grow, growing, type GrowingJournal, type Journal } from "./journal.ts";
import { NO_RETRIES, type Pin, type Retries, type Segment } from "./segment.ts";

/** Where an invocation stands; each carries only its own fields. `pending` waits for the lock of its object key. */
export type Phase =
  | { readonly status: "scheduled"; readonly startAtMs: number }
  | { readonly status: "pending" }
  | { readonly status: "ready" }
  | { readonly status: "running" }
  | { readonly status: "backing-off"; readonly retryAtMs: number }
  /** `fresh` are the notifications that the suspending attempt's own commit created (I5). */
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
  /** Keys of the arrivals that segments list: these are journal, or orders obeyed, and never fresh again. */
  readonly consumed: ReadonlySet<string>;
  readonly pin?: Pin;
  /** The grant of the lock, as the last segment tells that ran under one. */
  readonly grant?: number;
  readonly retries: Retries;
  /** Attempts started since acceptance, as far as anything written tells. */
  readonly attempts: number;
  readonly lastFailure?: AttemptFailure;
  /** When the last segment was written. */
  readonly modifiedAtMs: number;
}

/** @param input the Input entry, built by the engine from the acceptance: it opens every journal */
export function accepted(acceptance: Acceptance, input: Invocation["journal"]["entries"][number]): Invocation {
  const { startAtMs, createdAtMs } = acceptance;
  const scheduled = startAtMs !== undefined && startAtMs > createdAtMs;
  return {
    acceptance,
    segmentIndex: 0,
    phase: scheduled ? { status: "scheduled", startAtMs } : { status: "ready" },
    journal: append(EMPTY_JOURNAL, [input]),
    consumed: new Set(),
    retries: NO_RETRIES,
    attempts: 0,
    modifiedAtMs: createdAtMs,
  };
}

const NOTHING_TAKEN: ReadonlySet<string> = new Set();

/** Folds one more segment in: the same for a segment just decided and for one read back. */
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

/** Folds many segments that were read back, each at the cost of what it adds. */
export class Folding {
  readonly #journal: GrowingJournal;
  readonly #taken: Set<string>;
  #invocation: Invocation;

  constructor(from: Invocation) {
    this.#journal = growing(from.journal);
    this.#taken = new Set(from.consumed);
    this.#invocation = { ...from, journal: this.#journal, consumed: this.#taken };
  }

  /** As it stands now; its journal grows with the next segment that is added. */
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
  const { kind } = segment.after;
  const lastFailure = segment.failure ?? (kind === "running" || kind === "paused" ? invocation.lastFailure : undefined);
  return {
    acceptance: invocation.acceptance,
    segmentIndex: segment.index,
    phase: phaseAfter(segment),
    journal,
    consumed,
    retries: segment.retries,
    attempts: Math.max(invocation.attempts, segment.attempt?.number ?? 0),
    modifiedAtMs: segment.writtenAtMs,
    ...(pin && { pin }),
    ...(grant !== undefined && { grant }),
    ...(lastFailure && { lastFailure }),
  };
}

function phaseAfter({ after, entries, writtenAtMs }: Segment): Phase {
  switch (after.kind) {
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

/** The moment from which the journal of a completed invocation counts as gone; undefined while it is open. */
export function journalExpiresAtMs({ acceptance, phase }: Invocation): number | undefined {
  if (phase.status !== "completed") return undefined;
  return phase.endedAtMs + Math.min(acceptance.journalRetentionMs, acceptance.completionRetentionMs);
}

/** Every journal holds at least the input, so that an empty one is one that was dropped. */
export function hasJournal(invocation: Invocation, atMs: number): boolean {
  return invocation.journal.entries.length > 0 && atMs < (journalExpiresAtMs(invocation) ?? Infinity);
}

/** The moment from which a completed invocation counts as gone; undefined while it is open. */
export function expiresAtMs({ acceptance, phase }: Invocation): number | undefined {
  if (phase.status !== "completed") return undefined;
  if (phase.tombstone) return phase.endedAtMs;
  return phase.endedAtMs + acceptance.completionRetentionMs;
}
