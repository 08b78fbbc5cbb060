/**
 * The capacity of the sweeper. `test/dynamodb/sweeper-capacity.test.ts` counts the requests and prints processor times,
 * and the times below are the medians of three runs.
 */
import { dollars } from "./prices.ts";

/** How long a pass works alone before it cuts the rest into slices. */
export const ALONE_S = 20;
export const CALLED_EVERY_S = 300;
/** The walk over the listing looks at each accepted invocation once. */
export const LOOKS_PER_CALL = 1;

/**
 * The mean cost of a look at an entry of the listing, where two of three invocations ended at their first attempt. For the third,
 * which did not, the look also loads the invocation.
 */
export const LOOK = { requests: 0.4, cpuMs: 0.8, readUnits: 1.4 } as const;
/** The cost of a look that extends the time to live of a sleeper, which is a suspended invocation, here with four items. */
export const EXTENSION = { requests: 7.5, cpuMs: 10, writeUnits: 5 } as const;
/** The cost of an entry of the open index that needs no look. */
export const ENTRY = { cpuMs: 0.065, bytes: 350 } as const;

/** An invocation is extended for 30 days, and again when less than 15 are left. */
const EXTENDED_EVERY_DAYS = 15;
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;
/** The smallest number of walks over the whole open index in a month: one begins every six hours at the latest. */
const WALKS_PER_MONTH = (30 * 24) / 6;
const UNIT_BYTES = 4_096;
const MB_PER_GB = 1_024;
const MEMORY_MB = 512;
const WHOLE_PROCESSOR_MB = 1_769;

export const PROCESSOR_SHARE = MEMORY_MB / WHOLE_PROCESSOR_MB;

/** Rates of one process of 512 MB. */
export const LOOKS_PER_S = perSecond(LOOK.cpuMs);
export const EXTENSIONS_PER_S = perSecond(EXTENSION.cpuMs);
export const ENTRIES_PER_S = perSecond(ENTRY.cpuMs);

function perSecond(cpuMs: number): number {
  return (1000 * PROCESSOR_SHARE) / cpuMs;
}

/** @returns how many sleepers this number of processes can extend, if the processes do nothing else */
export function sleepersOf(processes: number): number {
  return processes * EXTENSIONS_PER_S * EXTENDED_EVERY_DAYS * DAY_S;
}

/** @returns the cost of a month's looks in dollars, if clients send `perS` invocations per second */
export function dollarsOfLooks(perS: number): number {
  const looks = perS * MONTH_S;
  return dollars("readUnit", looks * LOOK.readUnits) + worked(looks / LOOKS_PER_S);
}

/** The dollars of a month of `count` sleepers: their extensions, and the walks that come past them. */
export function dollarsOfSleepers(count: number): number {
  const extensions = (count * 30) / EXTENDED_EVERY_DAYS;
  const entries = count * WALKS_PER_MONTH;
  return (
    dollars("writeUnit", extensions * EXTENSION.writeUnits) +
    dollars("readUnit", (entries * ENTRY.bytes) / UNIT_BYTES / 2) +
    worked(extensions / EXTENSIONS_PER_S + entries / ENTRIES_PER_S)
  );
}

function worked(seconds: number): number {
  return dollars("functionGbSecond", (seconds * MEMORY_MB) / MB_PER_GB);
}
