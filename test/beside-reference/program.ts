/** Programs: what a handler does as a value. The value is the input, so that one handler plays any program on both servers. */

/** How an exchange with a deployment goes: open to the end, half-closed at an await, or one request with one response. */
export const KINDS = ["open", "half-closed", "request-response"] as const;
export type Kind = (typeof KINDS)[number];

export type On = "service" | "object" | "workflow";

/** The names of the services of each kind: all kinds are registered at the same server. */
export function serviceName(kind: Kind, on: On): string {
  const kinds = { open: "Open", "half-closed": "Half", "request-response": "Plain" };
  return `${kinds[kind]}${{ service: "Player", object: "Keeper", workflow: "Flow" }[on]}`;
}

/** A failure that ends a step or a program for good. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** The steps that may also be a branch of a combination. */
export type Branch =
  /** The closure fails `stumbles` times, then gives the value or refuses; with `attemptsMax` it gives up after that many. */
  | {
      readonly do: "run";
      readonly gives: unknown;
      readonly stumbles?: number;
      readonly refuses?: Refusal;
      readonly attemptsMax?: number;
    }
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "call"; readonly of: Program; readonly key?: string }
  /** Waits for an awakeable or a named signal that a sent child completes. */
  | { readonly do: "awakeable" | "signal"; readonly gives: unknown; readonly rejects?: Refusal }
  /** Never completes. */
  | { readonly do: "never"; readonly how: "sleep" | "awakeable" | "signal" };

export type Combination = "all" | "race" | "any" | "allSettled";

export type Step =
  | Branch
  | { readonly do: Combination; readonly of: readonly Branch[] }
  /** Waits for something that never comes, at most so long. */
  | { readonly do: "timeout"; readonly of: Branch; readonly ms: number }
  | {
      readonly do: "send";
      readonly of: Program;
      readonly delayMs: number;
      readonly key?: string;
      readonly attaches?: true;
    }
  /** Sends a program that waits for ever, cancels it once it waits, and attaches to it. */
  | { readonly do: "cancel"; readonly of: Program }
  | { readonly do: "get" | "clear"; readonly key: string }
  | { readonly do: "set"; readonly key: string; readonly value: unknown }
  | { readonly do: "clearAll" | "keys" }
  /** A promise of the workflow; `get` waits for a sent child that completes it. */
  | {
      readonly do: "promise";
      readonly what: "get" | "peek" | "resolve" | "reject";
      readonly name: string;
      readonly value: string;
    }
  | { readonly do: "throw"; readonly times: number }
  /** The connection breaks in the middle of the attempt. */
  | { readonly do: "cut"; readonly times: number }
  | { readonly do: "refuse"; readonly with: Refusal }
  | { readonly do: "random" }
  /** A run after which an operator may restart the program. */
  | { readonly do: "mark" }
  /** Calls a handler that no deployment has. Only for a program that gives up. */
  | { readonly do: "callNobody" }
  /** Gives a value that JSON does not have. Only for a program that gives up. */
  | { readonly do: "giveBigint"; readonly to: "run" | "state" | "call" }
  /** Waits until the outside acts. The outside acts only once the program waits. */
  | { readonly do: "hold"; readonly on: "awakeable" | "sleep" | "signal"; readonly act: Act };

/** An act from outside, while the program holds. */
export type Act = "resolve" | "reject" | "cancel" | "kill";

export interface Program {
  /** Unique in the seed: `p0` is the root. */
  readonly name: string;
  readonly on: On;
  /** The key of an object or a workflow; the player puts the name of the run of the seed before it. */
  readonly key?: string;
  /** `frail` gives up after three attempts. */
  readonly handler: "play" | "frail";
  readonly steps: readonly Step[];
  /** Goes on with the next step after a cancel. */
  readonly outlives?: true;
}

/** How a client starts the root, and what an operator does after its end. */
export interface Scene {
  readonly kind: Kind;
  readonly root: Program;
  readonly starts: "call" | "send" | "send-later";
  /** The root has an idempotency key, and is called a second time with it. */
  readonly twice?: true;
  /** The root is started anew after it has ended: from its input, or with all that its journal has before its mark. */
  readonly restartsFrom?: "input" | "mark";
}

/** The input of a handler. */
export interface Part {
  /** Unique for each play of a scene on a server, as names of keys. */
  readonly play: string;
  readonly program: Program;
  /** Done after the last step. */
  readonly completes?: Completes;
  /** Done before the last step. */
  readonly announces?: Completes;
}

/** The awakeable or signal that a sent child completes for its parent. */
export type Completes =
  | { readonly what: "awakeable"; readonly id: string; readonly gives: unknown; readonly rejects?: Refusal }
  | {
      readonly what: "signal";
      readonly invocation: string;
      readonly name: string;
      readonly gives: unknown;
      readonly rejects?: Refusal;
    }
  | { readonly what: "promise"; readonly name: string; readonly value: string; readonly rejects: boolean };

export const HOUR_MS = 3_600_000;
/** A run that an operator restarts a program from. */
export const MARK = "mark";
