/** A crash point: one port call of a run, and the fault that strikes it. */

export const FAULTS = [
  /** The process dies before the call. */
  "before",
  /** The process dies after the call, before the answer. */
  "after",
  /** The call happens, its caller gets an error, and the process lives on. */
  "after-with-lost-reply",
] as const;
/** Calls of the table that come late, for scenarios with races at one key. */
export const LATE_FAULTS = [
  /** The process dies, and the call happens after the next process has begun to work. */
  "late-after-death",
  /** The process lives; its write happens late, or its read returns old data. */
  "slow",
] as const;
/**
 * The client of the table repeats a conditional write after a time-out. The store refuses the second write, because the first
 * write took effect.
 */
export const REPEATED = "repeated";
/**
 * The call is a write of the table or a schedule. The store refuses this call and, for some seconds, every other call of the
 * same kind.
 */
export const THROTTLED = "throttled";
/** The process dies after the call; the clock of the next process is skewed. */
export const SKEWED_FAULTS = ["after-clock-behind", "after-clock-ahead"] as const;
/** The message comes a day after the end of the scenario, together with a copy whose `wakeAtMs` is in the far future. */
export const DAY_LATE = "day-late";
/** The schedule is set, and never fires. */
export const NEVER_FIRES = "never-fires";
/** The read of an index returns what the index showed a while ago, or nothing: an index on AWS lags behind its table. */
export const LAGS = ["stale", "empty"] as const;
/** The store refuses this read and, for some seconds, every other read of the table. */
export const UNREADABLE = "unreadable";
/** The answer comes when the time of the function is over that made the call. */
export const TIME_IS_UP = "time-is-up";
/**
 * Before the call, the table deletes one item whose time to live is over, or all such items but one. A table deletes them in any
 * order, so each of them may be the first or the last.
 */
export const EXPIRIES = ["item-expires", "others-expire"] as const;
export type ExpiryFault = (typeof EXPIRIES)[number];
export type Fault =
  | (typeof LAGS)[number]
  | typeof UNREADABLE
  | typeof TIME_IS_UP
  | ExpiryFault
  | (typeof FAULTS)[number]
  | (typeof LATE_FAULTS)[number]
  | (typeof SKEWED_FAULTS)[number]
  | typeof REPEATED
  | typeof THROTTLED
  | typeof DAY_LATE
  | typeof NEVER_FIRES;

/** Faults for runs of a sole owner as well as for runs on a shared table. */
export const EVERYWHERE: readonly Fault[] = [...FAULTS, REPEATED, THROTTLED, DAY_LATE];

export const SKEW_MS = 5_000;

/** @returns the clock skew, in milliseconds, of the process that follows a process with this fault */
export function skewBehind(fault: Fault | undefined): number {
  if (fault === "after-clock-behind") return -SKEW_MS;
  return fault === "after-clock-ahead" ? SKEW_MS : 0;
}

/** True if the process dies. */
export function kills(fault: Fault): boolean {
  return fault === "before" || fault === "late-after-death" || /^after(-clock-\w+)?$/.test(fault);
}

export interface PortCall {
  readonly port: "table" | "meta" | "queue" | "letters" | "slices" | "schedule-wakes" | "timers" | "endpoints";
  readonly method: string;
  /** The subject of the call, as far as it is the same in every run. */
  readonly about: string;
}

export interface Point {
  /** Counts the port calls of one process, from 0. */
  readonly at: number;
  readonly fault: Fault;
  /** For the expiry of an item: the number of the item among the expired ones. */
  readonly item?: number;
}

/** Selects the call of a process that a fault strikes: the call with a number, or the first call whose text matches. */
export interface Strike {
  readonly hits: (at: number, call: string) => boolean;
  readonly fault: Fault;
  readonly item?: number;
}

export function strikeAt({ at, ...what }: Point): Strike {
  return { hits: (number) => number === at, ...what };
}

/** @param matching the text of the call */
export function strikeFirst(matching: RegExp, fault: Fault): Strike {
  return { hits: (_, call) => matching.test(call), fault };
}

export function callText({ port, method, about }: PortCall): string {
  return `${port}.${method} ${about}`;
}

/** @param call the text of a call */
export function isWrite(call: string): boolean {
  return /^table\.(put|update|delete|transact) /.test(call);
}

export function isReadOfIndex(call: string): boolean {
  return call.startsWith("table.queryIndex ");
}

export function isConditional(call: string): boolean {
  return call.startsWith("table.transact ") || (isWrite(call) && call.includes(" if "));
}
