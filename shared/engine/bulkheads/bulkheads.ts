/** The bulkheads of a process: the resources that its lanes share fairly, so that no lane starves the others. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Meter } from "../ports/log.ts";
import { Budget } from "./budget.ts";
import { FailureTallies } from "./failure-tallies.ts";
import { FairTurns, Pace } from "./fair-turns.ts";
import { Slots } from "./slots.ts";

/**
 * This many acceptances fill the commit groups of the embedded store. More acceptances at once would only wait for each other.
 */
const ACCEPTANCES_AT_ONCE = 256;
/** The limit of calls that drivers drive along with their callers. Further calls go through the queue. */
const ALONGSIDE_MAX = 1_000;
/**
 * This many records keep a deployment busy. With more records, handlers delay one another so much that their first segments
 * come too late to be written together with the acceptances. The acceptances then need writes of their own, which take time
 * from all handlers.
 */
const RECORDS_AT_ONCE = 128;
/** The longest wait of an attempt for room for its reply. After that, the attempt is retried later. */
const REPLY_PATIENCE_MS = 30_000;
const REPLIES_MAX_BYTES = 64 * 1024 * 1024;

/** The longest wait of a driver for room for a large journal. After that, its message is sent again with a delay. */
const JOURNAL_PATIENCE_MS = 5_000;
const JOURNALS_MAX_BYTES = 64 * 1024 * 1024;
/** Journals below this size are not counted: a worker function has few messages at a time, and so has room for them. */
const JOURNALS_COUNTED_FROM_BYTES = 4 * 1024 * 1024;

export interface Bulkheads {
  /** Acceptances of children, in lanes by the service of the parent. */
  readonly acceptances: FairTurns;
  /** Calls that drivers drive along, in lanes by their service. */
  readonly alongside: Slots;
  /** Records whose acceptance waits for their first segment, in lanes by subscription. */
  readonly recordTurns: FairTurns;
  /** Bytes of received replies that are not yet stored, in lanes by deployment. */
  readonly replies: Budget;
  /** Bytes of journals in memory, in lanes by service. */
  readonly journals: Budget;
  /** The budget of journals counts a journal above this size. */
  readonly journalsCountedFromBytes: number;
  /** The sizes of journals that found no room, by invocation. The next load of such an invocation first waits for room. */
  readonly journalSizes: Map<InvocationId, number>;
  /** The pace of loops over replies: in lanes by deployment while a reply arrives, then in lanes by service. */
  readonly pace: Pace;
  /** Turns for loads of large invocations for operators, in lanes by invocation. The budget of journals omits these loads. */
  readonly heavyLoads: FairTurns;
  /** Turns for reads of large journals, in lanes by invocation; absent if reads need no turn. */
  readonly largeLoads?: FairTurns;
  /** The counts of failures in a row, by the name of the circuit. */
  readonly failures: FailureTallies;
  /** The moments of the last answers, by deployment. Each process knows its own. */
  readonly contacts: Map<string, number>;
}

export interface BulkheadLimits {
  /** 64 MiB by default. */
  readonly repliesMaxBytes?: number;
  /** 64 MiB by default. */
  readonly journalsMaxBytes?: number;
  /** 4 MiB by default. */
  readonly journalsCountedFromBytes?: number;
  /** Unlimited by default. */
  readonly largeLoadsAtOnce?: number;
}

export function newBulkheads(clock: Clock, limits: BulkheadLimits = {}): Bulkheads {
  const { repliesMaxBytes = REPLIES_MAX_BYTES, journalsMaxBytes = JOURNALS_MAX_BYTES, largeLoadsAtOnce } = limits;
  const { journalsCountedFromBytes = JOURNALS_COUNTED_FROM_BYTES } = limits;
  return {
    acceptances: new FairTurns(ACCEPTANCES_AT_ONCE),
    alongside: new Slots({ count: ALONGSIDE_MAX, perLane: "share" }),
    recordTurns: new FairTurns(RECORDS_AT_ONCE),
    replies: new Budget({ capacity: repliesMaxBytes, patienceMs: REPLY_PATIENCE_MS, clock }),
    journals: new Budget({ capacity: journalsMaxBytes, patienceMs: JOURNAL_PATIENCE_MS, clock }),
    journalsCountedFromBytes,
    journalSizes: new Map(),
    pace: new Pace(clock),
    heavyLoads: new FairTurns(1),
    ...(largeLoadsAtOnce !== undefined && { largeLoads: new FairTurns(largeLoadsAtOnce) }),
    failures: new FailureTallies(),
    contacts: new Map(),
  };
}

/** A peak below this share of the capacity is not shown, because such a budget is large enough. */
const PEAK_SHOWN_FROM = 0.5;

/**
 * Shows the highest share of each budget that was in use since the last call. The gauges are for functions. A function holds
 * nothing when an event is over, and pays for each metric, so a budget that was never half full shows no metric.
 */
export function showPeaks(meter: Meter, { replies, journals }: Pick<Bulkheads, "replies" | "journals">): void {
  for (const [budget, one] of Object.entries({ replies, journals })) {
    const share = one.takePeak() / one.capacity;
    if (share >= PEAK_SHOWN_FROM) meter.gauge("budget_peak_ratio", share, { budget });
  }
}

/** Shows a budget as gauges. @param budget the value of the gauges' label `budget` */
export function showBudget(meter: Meter, budget: string, { held, capacity, waiting }: Budget): void {
  meter.gauge("budget_held_bytes", held, { budget });
  meter.gauge("budget_limit_bytes", capacity, { budget });
  meter.gauge("budget_waiting", waiting, { budget });
}

/** The limit of a journal, as a multiple of the budget of all journals, and its lower bound in a small process. */
const JOURNAL_OF_BUDGET = 2;
const JOURNAL_LEAST_BYTES = 128 * 1024 * 1024;
/** A full journal still takes small replies and results, so that its handler can end, until it has grown by this much more. */
const FULL_GROWTH_MAX_BYTES = 16 * 1024 * 1024;
const SMALL_GROWTH_BYTES = 64 * 1024;

export function journalMaxBytes({ journals }: Pick<Bulkheads, "journals">): number {
  return Math.max(JOURNAL_LEAST_BYTES, JOURNAL_OF_BUDGET * journals.capacity);
}

/**
 * The bytes by which a journal may grow in one attempt. The notifications that the attempt gets and the entries that it returns
 * count. Without a limit an endless handler could fill the memory.
 */
export function journalLeftBytes(bulkheads: Pick<Bulkheads, "journals">, sizeBytes: number): number {
  const leftBytes = journalMaxBytes(bulkheads) - sizeBytes;
  if (leftBytes > SMALL_GROWTH_BYTES) return leftBytes;
  return leftBytes > -FULL_GROWTH_MAX_BYTES ? SMALL_GROWTH_BYTES : 0;
}
