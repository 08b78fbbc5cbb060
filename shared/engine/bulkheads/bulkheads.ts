/** The bulkheads of a process: what all its work shares, and shares fairly, so that one bad neighbour stays alone. */
import type { Clock } from "../ports/clock.ts";
import type { Meter } from "../ports/log.ts";
import { Budget } from "./budget.ts";
import { FailureTallies } from "./failure-tallies.ts";
import { FairTurns } from "./fair-turns.ts";
import { Slots } from "./slots.ts";

/** Enough to fill the groups and batches of the table; more would only wait longer for each other. */
const ACCEPTANCES_AT_ONCE = 256;
/** Calls that drivers drive along with their callers. Calls beyond this go through the queue. */
const ALONGSIDE_MAX = 1_000;
/** Replies take about a reading's time and a write's. An attempt that waits longer than this is made again later. */
const REPLY_PATIENCE_MS = 30_000;
const REPLIES_MAX_BYTES = 128 * 1024 * 1024;

export interface Bulkheads {
  /** Acceptances of children, in lanes by the service that begins them. */
  readonly acceptances: FairTurns;
  /** Calls that are driven along, in lanes by their service. */
  readonly alongside: Slots;
  /** Bytes of replies that are received and not yet stored, in lanes by deployment. */
  readonly replies: Budget;
  /** Reads of large journals, in lanes by invocation; absent where none waits for another. */
  readonly largeLoads?: FairTurns;
  /** In a row, by the name of a circuit. */
  readonly failures: FailureTallies;
}

export interface BulkheadLimits {
  /** 128 MiB unless given. */
  readonly repliesMaxBytes?: number;
  /** Unlimited unless given. */
  readonly largeLoadsAtOnce?: number;
}

export function newBulkheads(
  clock: Clock,
  { repliesMaxBytes = REPLIES_MAX_BYTES, largeLoadsAtOnce }: BulkheadLimits = {},
): Bulkheads {
  return {
    acceptances: new FairTurns(ACCEPTANCES_AT_ONCE),
    alongside: new Slots({ count: ALONGSIDE_MAX, perLane: "share" }),
    replies: new Budget({ capacity: repliesMaxBytes, patienceMs: REPLY_PATIENCE_MS, clock }),
    ...(largeLoadsAtOnce !== undefined && { largeLoads: new FairTurns(largeLoadsAtOnce) }),
    failures: new FailureTallies(),
  };
}

/** Shows a budget as gauges. @param budget the value of their label */
export function showBudget(meter: Meter, budget: string, { held, capacity, waiting }: Budget): void {
  meter.gauge("budget_held_bytes", held, { budget });
  meter.gauge("budget_limit_bytes", capacity, { budget });
  meter.gauge("budget_waiting", waiting, { budget });
}
