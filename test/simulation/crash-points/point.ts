/** A crash point: one port call of a run, and what goes wrong at it. */

export const FAULTS = [
  /** The call never happens: the process dies before it. */
  "before",
  /** The call happens, and the process dies before it learns of it. */
  "after",
  /** The call happens, its caller is told that it failed, and the process lives on. */
  "after-with-lost-reply",
] as const;
/** Calls of the table that come late: for what races with others at one key. */
export const LATE_FAULTS = [
  /** The process dies behind the call, which happens after the next process has gone to work. */
  "late-after-death",
  /** The process lives, and what it writes happens late; what it reads is old when it comes. */
  "slow",
] as const;
export type Fault = (typeof FAULTS)[number] | (typeof LATE_FAULTS)[number];

export interface PortCall {
  readonly port: "table" | "meta" | "queue" | "timers" | "endpoints";
  readonly method: string;
  /** What the call is about, as far as it is the same in every run. */
  readonly about: string;
}

export interface Point {
  /** Counts the port calls of one process, from 0. */
  readonly at: number;
  readonly fault: Fault;
}

/** Which call of a process a fault strikes: one by its number, or the first of its kind. */
export interface Strike {
  readonly hits: (at: number, call: string) => boolean;
  readonly fault: Fault;
}

export function strikeAt({ at, fault }: Point): Strike {
  return { hits: (number) => number === at, fault };
}

/** @param beginning of the text of the call */
export function strikeFirst(beginning: string, fault: Fault): Strike {
  return { hits: (_, call) => call.startsWith(beginning), fault };
}

export function callText({ port, method, about }: PortCall): string {
  return `${port}.${method} ${about}`;
}
