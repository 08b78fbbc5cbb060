/** The bulkheads of a process: what all its work shares, and shares fairly, so that one bad neighbour stays alone. */
import type { Clock } from "../ports/clock.ts";
import type { Meter } from "../ports/log.ts";
import { Budget } from "./budget.ts";
import { FailureTallies } from "./failure-tallies.ts";
import { FairTurns } from "./fair-turns.ts";
import { Pace } from "./pace.ts";
import { Slots } from "./slots.ts";

/** Enough to fill the groups and batches of the table; more would only wait longer for each other. */
const ACCEPTANCES_AT_ONCE = 256;
/** Calls that drivers drive along with their callers. Calls beyond this go through the queue. */
const ALONGSIDE_MAX = 1_000;
/** Replies take about a reading's time and a write's. An attempt that waits longer than this is made again later. */
const REPLY_PATIENCE_MS = 30_000;
const REPLIES_MAX_BYTES = 64 * 1024 * 1024;

/** A driver that waits for longer leaves its message for later: others may keep their large journals for as long as their handlers take. */
const JOURNAL_PATIENCE_MS = 5_000;
const JOURNALS_MAX_BYTES = 64 * 1024 * 1024;

export interface Bulkheads {
  /** Acceptances of children, in lanes by the service that begins them. */
  readonly acceptances: FairTurns;
  /** Calls that are driven along, in lanes by their service. */
  readonly alongside: Slots;
  /** Bytes of replies that are received and not yet stored, in lanes by deployment. */
  readonly replies: Budget;
  /** Bytes of the large journals that drivers hold, in lanes by service. */
  readonly journals: Budget;
  /** Of loops over what deployments send, in lanes by service. */
  readonly pace: Pace;
  /** Reads of large journals, in lanes by invocation; absent where none waits for another. */
  readonly largeLoads?: FairTurns;
  /** In a row, by the name of a circuit. */
  readonly failures: FailureTallies;
}

export interface BulkheadLimits {
  /** 64 MiB unless given. */
  readonly repliesMaxBytes?: number;
  /** 64 MiB unless given. */
  readonly journalsMaxBytes?: number;
  /** Unlimited unless given. */
  readonly largeLoadsAtOnce?: number;
}

export function newBulkheads(clock: Clock, limits: BulkheadLimits = {}): Bulkheads {
  const { repliesMaxBytes = REPLIES_MAX_BYTES, journalsMaxBytes = JOURNALS_MAX_BYTES, largeLoadsAtOnce } = limits;
  return {
    acceptances: new FairTurns(ACCEPTANCES_AT_ONCE),
    alongside: new Slots({ count: ALONGSIDE_MAX, perLane: "share" }),
    replies: new Budget({ capacity: repliesMaxBytes, patienceMs: REPLY_PATIENCE_MS, clock }),
    journals: new Budget({ capacity: journalsMaxBytes, patienceMs: JOURNAL_PATIENCE_MS, clock }),
    pace: new Pace(clock),
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
