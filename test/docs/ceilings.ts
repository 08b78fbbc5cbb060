/** Computes the calls a second at which each part of the stack is full, from the counted units of a call and the quota. */
import type { CallCounts } from "./ceiling-counts.ts";
import { ASSUMED } from "./prices.ts";
import { QUOTAS } from "./quotas.ts";
import { LOOKS_PER_CALL, LOOKS_PER_S } from "./sweeper-capacity.ts";

export interface CeilingFacts {
  /** A call that is answered by the process that accepted it. */
  readonly call: CallCounts;
  readonly parked: CallCounts;
  readonly exclusive: CallCounts;
  /** The share of all ids in the fullest shard, by the number of shards. */
  readonly fullestShare: Readonly<Record<number, number>>;
  /** The most workers that the stack runs at a time. */
  readonly workersMax: number;
  /** The most workers of the slow lane, in addition. */
  readonly slowWorkersMax: number;
  readonly batch: number;
}

/** A part of the stack, and the calls a second at which it is full. */
export interface Ceiling {
  readonly what: string;
  readonly callsPerS: number;
  /** The computation in words. */
  readonly sum: string;
  readonly movedBy: string;
}

/** The assumed time of the handler, a Lambda function of the same account, for each call. */
export const HANDLER_MS = 100;
export const SHARDS = 8;
export const SHARDS_MAX = 16;
export const RATES = [100, 1_000, 10_000] as const;

const OWN_MS = ASSUMED.functionMs.value;

/** @returns the ceilings, the lowest first */
export function ceilings(facts: CeilingFacts): readonly Ceiling[] {
  const all = [
    sweeper(facts),
    ...table(facts),
    listing(facts, SHARDS),
    concurrency(facts),
    ...queue(facts),
    api(),
    registry(facts),
  ];
  return all.toSorted((one, other) => one.callsPerS - other.callsPerS);
}

/**
 * Assumes that all workers are busy, because a walk has more slices than there are workers: nine groups of shards, each cut
 * into up to sixteen periods.
 */
function sweeper({ workersMax }: CeilingFacts): Ceiling {
  const looksPerS = Math.floor(LOOKS_PER_S);
  return {
    what: "the sweeper's looks, all workers doing slices",
    callsPerS: (workersMax * looksPerS) / LOOKS_PER_CALL,
    sum: `${workersMax} workers × ${looksPerS} looks ÷ ${LOOKS_PER_CALL} look`,
    movedBy: "`workerConcurrencyMax`",
  };
}

function table({ call }: CeilingFacts): readonly Ceiling[] {
  const writes = (what: string, value: number, movedBy: string): Ceiling => ({
    what,
    callsPerS: value / call.tableWrites,
    sum: `${value} units ÷ ${call.tableWrites} writes`,
    movedBy,
  });
  const reads = (what: string, value: number, movedBy: string): Ceiling => ({
    what,
    callsPerS: value / call.readUnits,
    sum: `${value} units ÷ ${call.readUnits} reads`,
    movedBy,
  });
  const { newTableWrites, newTableReads, tableWrites, tableReads } = QUOTAS;
  const warmed = "warm throughput of the table, or a slow beginning";
  return [
    writes("writes of a new table", newTableWrites.value, warmed),
    reads("reads of a new table", newTableReads.value, warmed),
    writes("writes of the table", tableWrites.value, "quota of the account: write units of a table"),
    reads("reads of the table", tableReads.value, "quota of the account: read units of a table"),
  ];
}

/** All writes of a shard go to its newest end, so DynamoDB cannot spread them by splitting the partition. */
export function listing({ call, fullestShare }: CeilingFacts, shards: number): Ceiling {
  const share = fullestShare[shards]!;
  return {
    what: `index \`list\`, ${shards} shards`,
    callsPerS: QUOTAS.partitionWrites.value / (call.listWrites * share),
    sum: `${QUOTAS.partitionWrites.value} units ÷ (${call.listWrites} write × ${percent(share)} of the ids in the fullest shard)`,
    movedBy: "`aws.index-shards`, 16 at most",
  };
}

/**
 * A call holds an environment of the ingress from its beginning to its end, an environment of the handler's function while the
 * handler works, and an environment of a worker for the call's share of a batch.
 */
function concurrency({ call, batch }: CeilingFacts): Ceiling {
  const { concurrency: most, environmentRequests } = QUOTAS;
  const taken = call.messages / batch;
  const heldS = (OWN_MS + HANDLER_MS + HANDLER_MS + taken * OWN_MS) / 1_000;
  const byRequests = (1 + 1 + taken) / environmentRequests.value;
  const [each, sum] =
    heldS >= byRequests
      ? [
          heldS,
          `${most.value} ÷ (${OWN_MS + HANDLER_MS} ms ingress + ${HANDLER_MS} ms handler + ${taken * OWN_MS} ms worker)`,
        ]
      : [
          byRequests,
          `${most.value} × ${environmentRequests.value} requests ÷ (1 ingress + 1 handler + ${taken} worker)`,
        ];
  return {
    what: "Lambda, environments at once",
    callsPerS: most.value / each,
    sum,
    movedBy: "quota of the account: concurrent executions",
  };
}

/** The worker of a send waits for the handler. The worker of a call does not: the call has completed before its message comes. */
function queue({ call, workersMax, batch }: CeilingFacts): readonly Ceiling[] {
  const messages = (what: string, ms: number, sum: string): Ceiling => ({
    what,
    callsPerS: (workersMax * batch) / (call.messages * (ms / 1_000)),
    sum: `${workersMax} workers × ${batch} messages ÷ (${call.messages} message × ${sum})`,
    movedBy: "`workerConcurrencyMax`",
  });
  return [
    messages("workers, all calls being sends", OWN_MS + HANDLER_MS, `${OWN_MS + HANDLER_MS} ms with the handler`),
    messages("workers", OWN_MS, `${OWN_MS} ms`),
  ];
}

function api(): Ceiling {
  const { value } = QUOTAS.apiRequests;
  return {
    what: "API Gateway",
    callsPerS: value,
    sum: `${value} requests ÷ 1 request`,
    movedBy: "quota of the account: throttle rate; `ingressThrottle` lowers it",
  };
}

/** Each process with requests reads the head of the registry once a second, and the head is a single item. */
function registry({ workersMax, slowWorkersMax }: CeilingFacts): Ceiling {
  const { partitionReads } = QUOTAS;
  const heldMs = OWN_MS + HANDLER_MS;
  return {
    what: "head of the registry",
    callsPerS: ((partitionReads.value - workersMax - slowWorkersMax) * 1_000) / heldMs,
    sum: `(${partitionReads.value} reads − ${workersMax + slowWorkersMax} workers) ÷ ${heldMs} ms that a call holds a process of the ingress`,
    movedBy: "nothing: shorter handlers, or sends in place of calls",
  };
}

/** Ceilings that do not depend on the total number of calls. */
export function beside(facts: CeilingFacts): readonly Ceiling[] {
  const { partitionWrites, schedulesMade, schedulesFired } = QUOTAS;
  const { parked, exclusive, fullestShare } = facts;
  const share = fullestShare[SHARDS]!;
  return [
    {
      what: `sleeps and other parks, \`open\` of ${SHARDS} shards`,
      callsPerS: partitionWrites.value / (parked.openWrites * share),
      sum: `${partitionWrites.value} units ÷ (${parked.openWrites} writes × ${percent(share)} of the ids)`,
      movedBy: "`aws.index-shards`, 16 at most",
    },
    {
      what: "exclusive calls of one key",
      callsPerS: partitionWrites.value / lockWrites(facts),
      sum: `${partitionWrites.value} units ÷ ${lockWrites(facts)} writes of its lock (${exclusive.tableWrites} of an exclusive call without its ${facts.call.tableWrites - 1} of a call without steps)`,
      movedBy: "nothing: more keys",
    },
    {
      what: "sleeps beyond 15 minutes, that begin",
      callsPerS: schedulesMade.value,
      sum: `${schedulesMade.value} schedules made, 250 outside of eleven Regions`,
      movedBy: "quota of EventBridge Scheduler; `aws.timers` = `ladder`",
    },
    {
      what: "sleeps beyond 15 minutes, that end",
      callsPerS: schedulesFired.value,
      sum: `${schedulesFired.value} schedules fired`,
      movedBy: "quota of EventBridge Scheduler; `aws.timers` = `ladder`",
    },
  ];
}

/**
 * Counts the writes of an exclusive call beyond those of a call without steps: the lock is taken and given back. The call in
 * `call` has one step, which costs one write.
 */
function lockWrites({ exclusive, call }: CeilingFacts): number {
  return exclusive.tableWrites - (call.tableWrites - 1);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
