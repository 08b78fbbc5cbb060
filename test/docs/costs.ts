/** Converts counts to dollars: for a million invocations of a shape, and for a month without a request. */
import type { CostCounts } from "./cost-counts.ts";
import { ASSUMED, dollars } from "./prices.ts";
import type { StackCounts } from "./stack-counts.ts";

export interface Bill {
  readonly table: number;
  readonly queue: number;
  readonly schedules: number;
  readonly api: number;
  readonly functions: number;
  readonly logs: number;
}

const MILLION = 1_000_000;
const GB_BYTES = 1_000_000_000;
const MB_PER_GB = 1024;
const SECONDS_PER_HOUR = 3_600;
const POLL_S = 20;
/** A message is received, hidden for a lease and deleted: one request each, or a share of one in a batch. */
export const REQUESTS_PER_MESSAGE = 3;

/**
 * @param batch messages that a worker takes at a time
 * @returns the dollars for a million times the counts
 */
export function billOf(counts: CostCounts, batch: number, memoryMb: number): Bill {
  const taken = counts.messages / batch;
  const calls = counts.requests + taken;
  const queueRequests = counts.sends + REQUESTS_PER_MESSAGE * taken;
  return {
    table:
      dollars("writeUnit", MILLION * (counts.tableWrites + counts.indexWrites)) +
      dollars("readUnit", MILLION * counts.readUnits),
    // Each message is billed as a message with a group. Messages of schedules have no group and cost less, but are few.
    queue: dollars("queueRequest", MILLION * queueRequests) + dollars("fairQueueRequest", MILLION * queueRequests),
    schedules: dollars("scheduleFired", MILLION * counts.schedules),
    api: dollars("apiRequest", MILLION * counts.requests),
    functions: dollars("functionCall", MILLION * calls) + waiting(MILLION * calls, ASSUMED.functionMs.value, memoryMb),
    logs: logs(MILLION * calls),
  };
}

export function totalOf(bill: Bill): number {
  return Object.values(bill).reduce((sum, part) => sum + part, 0);
}

/** @returns dollars for this number of calls of this duration */
export function waiting(calls: number, ms: number, memoryMb: number): number {
  return dollars("functionGbSecond", (calls * (ms / 1000) * memoryMb) / MB_PER_GB);
}

function logs(calls: number): number {
  return dollars("logGb", (calls * ASSUMED.logBytesPerCall.value) / GB_BYTES);
}

/** @returns dollars for this number of requests to an API with an access log */
export function accessLines(requests: number): number {
  return dollars("logGb", (requests * ASSUMED.accessLineBytes.value) / GB_BYTES);
}

/** @returns the costs of `stack` in a month without requests, item by item, in dollars */
export function idleMonth(sweep: CostCounts, stack: StackCounts): readonly (readonly [what: string, usd: number])[] {
  const passes = (ASSUMED.monthHours.value * SECONDS_PER_HOUR) / stack.sweepEveryS;
  const pollers = stack.eventSources * ASSUMED.pollers.value;
  const polls = (ASSUMED.monthHours.value * SECONDS_PER_HOUR * pollers) / POLL_S;
  const sweeper = dollars("functionCall", passes) + waiting(passes, ASSUMED.sweepMs.value, stack.memoryMb);
  const table = dollars("writeUnit", passes * sweep.tableWrites) + dollars("readUnit", passes * sweep.readUnits);
  return [
    [`the sweeper, called ${passes} times`, sweeper],
    [`its ${sweep.readUnits} read units and ${sweep.tableWrites} write units a pass`, table],
    [`its look at the dead-letter queue, a request a pass`, dollars("queueRequest", passes)],
    ["what the passes log", logs(passes)],
    [
      `${polls} long polls of the ${stack.eventSources} queues of wakes by their event sources`,
      dollars("queueRequest", polls),
    ],
    ["4 metrics that the sweeper writes", dollars("metricMonth", 4)],
    [`${stack.alarms} alarms, which read ${stack.alarmMetrics} metrics`, dollars("alarmMonth", stack.alarmMetrics)],
    [`${stack.dashboards} dashboard`, dollars("dashboardMonth", stack.dashboards)],
    [`${stack.keys} KMS keys of your own`, dollars("keyMonth", stack.keys)],
  ];
}
