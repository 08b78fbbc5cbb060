/** What handlers tell: of their committed steps in the ledger, and in their results. */
import type { Line } from "../../crash/ledger.ts";
import type { Recorded } from "../../crash/outcome.ts";

/** Who executed a closure, and for whom. */
export interface LoadLine extends Line {
  /** The process of the handler. */
  readonly pid: number;
  /** The process that drives the attempt; 0 where the handler cannot know. */
  readonly driverPid: number;
  /** What the step is to tell to somebody outside. */
  readonly value?: string;
}

export interface Told {
  readonly invocationId: string;
  /** Committed steps, in the order in which they were awaited. */
  readonly recorded: readonly Recorded[];
  /** A sleep between two of them. */
  readonly slept?: { readonly askedMs: number; readonly fromMs: number; readonly toMs: number };
  readonly children?: readonly Told[];
  /** Ids of what was sent, each of which tells for itself. */
  readonly sent?: readonly string[];
  readonly value?: string;
}

/** What an exclusive handler tells of the state that it found and left. */
export interface Added extends Told {
  readonly key: string;
  readonly before: number;
  readonly after: number;
}

/** So many pieces of so many bytes each. */
export interface Pieces {
  readonly count: number;
  readonly bytes: number;
  readonly napMs: number;
}

/** States, whose values follow from the seed. */
export interface Kept {
  readonly count: number;
  readonly bytes: number;
  readonly seed: string;
}

/** A line about large values: the digests of those that the handler found stored. */
export interface BulkTold extends Told {
  readonly digests: readonly string[];
}
