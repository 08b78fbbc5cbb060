/** The words of the specification: what callers and operators ask, what handlers do, and what can be known of an invocation. */

/** Each request brings a program of its own, and the invocation that it starts has the name of this program. */
export type Name = string;

export type Kind = "service" | "exclusive" | "shared" | "workflow";

export interface Target {
  readonly service: string;
  readonly key?: string;
  readonly handler: string;
}

/** One step of a handler. A step that waits can be interrupted by a cancel. */
export type Step =
  | { readonly do: "set"; readonly name: string; readonly value: string }
  | { readonly do: "clear"; readonly name: string }
  | { readonly do: "get"; readonly name: string }
  | { readonly do: "sleep"; readonly ms: number }
  /** The attempt fails this many times at this step; each retry comes after `waitMs`. */
  | { readonly do: "stumble"; readonly times: number; readonly waitMs: number }
  /** Gives the address of the deployment on which the handler runs. */
  | { readonly do: "where" }
  | { readonly do: "call"; readonly target: Target; readonly program: Program }
  | {
      readonly do: "send";
      readonly target: Target;
      readonly program: Program;
      readonly delayMs: number;
      readonly key?: string;
    }
  /** Waits until somebody outside resolves or rejects the awakeable of this step. */
  | { readonly do: "awakeable" }
  | { readonly do: "hear"; readonly signal: string }
  | { readonly do: "tell"; readonly of: Name; readonly signal: string; readonly value: string }
  | { readonly do: "attach"; readonly of: Name }
  | { readonly do: "promise"; readonly name: string }
  | { readonly do: "peek"; readonly name: string }
  | { readonly do: "keep"; readonly name: string; readonly value: string };

/** The steps of a handler, one after the other. The output is the list of their results. */
export interface Program {
  readonly steps: readonly Step[];
  /** Goes on with the next step after a failed one, instead of ending with its failure. */
  readonly catches: boolean;
  /** Ends with this terminal failure. */
  readonly fails?: number;
}

export interface Failure {
  readonly code: number;
  readonly message: string;
}

export type Result = { readonly value: unknown } | { readonly failure: Failure };

/** The answer to an operation: a status, and the meaning of the body. */
export interface Answer {
  readonly status: number;
  readonly says?: unknown;
}

export type Operation =
  | {
      readonly do: "call" | "send";
      readonly name: Name;
      readonly target: Target;
      readonly program: Program;
      readonly key?: string;
      readonly delayMs?: number;
    }
  | { readonly do: "attach" | "output"; readonly of: Name }
  | { readonly do: "ask"; readonly question: "attach" | "output"; readonly target: Target; readonly key?: string }
  | { readonly do: "cancel" | "kill" | "pause" | "purge" | "purge-journal"; readonly of: Name }
  | { readonly do: "resume"; readonly of: Name; readonly on?: Choice }
  /** A restart may keep the first steps of the former invocation. */
  | { readonly do: "restart"; readonly of: Name; readonly name: Name; readonly on?: Choice; readonly keeps?: number }
  | { readonly do: "resolve" | "reject"; readonly of: Name; readonly step: number; readonly value: string }
  | { readonly do: "edit"; readonly service: string; readonly key: string; readonly values: Values }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "reopen"; readonly how: "stop" | "crash" }
  | {
      readonly do: "register";
      readonly name: Name;
      readonly uri: string;
      readonly code: string;
      readonly force: boolean;
    }
  | {
      readonly do: "update";
      readonly deployment: Name;
      readonly rule: UpdateRule;
      readonly uri: string;
      readonly code: string;
    }
  | { readonly do: "remove"; readonly deployment: Name; readonly force: boolean }
  | { readonly do: "connect"; readonly cluster: string }
  | { readonly do: "disconnect"; readonly cluster: string; readonly force: boolean }
  | { readonly do: "subscribe"; readonly name: Name; readonly source: string; readonly sink: string }
  | { readonly do: "unsubscribe" | "hold" | "release"; readonly of: Name };

/** `keep`, `latest`, or the name of a deployment. */
export type Choice = Name;

/**
 * `replace` takes what the deployment offers now, unless it lacks something that it offered before; `move` changes only the address;
 * `overwrite` takes what it offers now in any case.
 */
export type UpdateRule = "replace" | "move" | "overwrite";

export type Values = Readonly<Record<string, string>>;

/** The things for which an invocation may be suspended. */
export type Wait =
  | { readonly for: "timer"; readonly untilMs: number }
  | { readonly for: "result"; readonly of: Name }
  | { readonly for: "awakeable" }
  | { readonly for: "signal"; readonly signal: string }
  | { readonly for: "promise"; readonly name: string };

export type Phase =
  | { readonly is: "scheduled"; readonly untilMs: number }
  /** Waits for its key. */
  | { readonly is: "pending" }
  | { readonly is: "running" }
  | { readonly is: "suspended"; readonly on: Wait }
  | { readonly is: "backing-off"; readonly untilMs: number }
  | { readonly is: "paused"; readonly was: Phase }
  | { readonly is: "completed"; readonly result: Result; readonly outcome: Outcome; readonly atMs: number };

export type Outcome = "succeeded" | "failed" | "cancelled" | "killed";

/**
 * The calls, signals and unseen cancels of an invocation at the moment of a step. A restart that keeps this step as the last begins
 * with them.
 */
export type Trace = Pick<Invocation, "calls" | "signals" | "cancels">;

export interface Invocation {
  readonly name: Name;
  readonly target: Target;
  readonly kind: Kind;
  readonly program: Program;
  readonly phase: Phase;
  /** The index of the next step. */
  readonly at: number;
  readonly given: readonly unknown[];
  /** How often the next step has failed. */
  readonly stumbled: number;
  /** The wait that the handler began for the next step. */
  readonly asked: Wait | undefined;
  /** True from the first attempt on. */
  readonly hasBegun: boolean;
  /** True for a restart that has kept steps of a former invocation: its handler has to see a cancel even before its first attempt. */
  readonly isCopy: boolean;
  /** The trace of each step that the handler did, by the index of the step. */
  readonly traces: Readonly<Record<number, Trace>>;
  /** The deployment on which it goes on; undefined until its handler has done something. */
  readonly deployment: Name | undefined;
  /** How many cancels came that the handler has not seen yet. */
  readonly cancels: number;
  readonly calls: readonly Name[];
  /** Results of results by step, and signals that came, in their order. */
  readonly results: Readonly<Record<number, Result>>;
  readonly signals: readonly { readonly signal: string; readonly value: string }[];
  readonly idempotencyKey?: string;
  /** How long result and journal are kept after the end. */
  readonly keptMs: number;
  readonly journalKeptMs: number;
  readonly hasJournal: boolean;
}
