/** The types of the handlers' lines in the ledger, and of their results. */
import type { Line } from "../../crash/ledger.ts";
import type { Recorded } from "../../crash/outcome.ts";

/** A line about an execution of a closure, with the process of the handler and the process of the driver. */
export interface LoadLine extends Line {
  /** The process of the handler. */
  readonly pid: number;
  /** The process that drives the attempt; 0 if the handler cannot find it out. */
  readonly driverPid: number;
  /** A value that the handler publishes for the suite: the id of its awakeable. */
  readonly value?: string;
}

export interface HandlerResult {
  readonly invocationId: string;
  /** Committed steps, in the order in which they were awaited. */
  readonly recorded: readonly Recorded[];
  /** The sleep between two of the steps. */
  readonly slept?: { readonly askedMs: number; readonly fromMs: number; readonly toMs: number };
  readonly children?: readonly HandlerResult[];
  /** Ids of its sends, each of which has its own result. */
  readonly sent?: readonly string[];
  readonly value?: string;
}

/** The result of an exclusive handler, with the state before and after it. */
export interface Added extends HandlerResult {
  readonly key: string;
  readonly before: number;
  readonly after: number;
}

/** Asks for `count` pieces of `bytes` bytes each. */
export interface Pieces {
  readonly count: number;
  readonly bytes: number;
  readonly napMs: number;
}

/** Asks for `count` state values of `bytes` bytes each, which follow from `seed`. */
export interface Kept {
  readonly count: number;
  readonly bytes: number;
  readonly seed: string;
}

/** A result about large values: the digests of the stored values that the handler found. */
export interface BulkResult extends HandlerResult {
  readonly digests: readonly string[];
}
