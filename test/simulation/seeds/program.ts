/** Programs: the steps of a handler as a value. The value is the input, so that one handler plays any program of a seed. */
import { parseScope, type Scope } from "../../../shared/core/model/scope.ts";
import type { KeyOwner, Target } from "../../../shared/core/model/target.ts";

/** A step that may also be a branch of a combination. */
export type Branch =
  /** A closure that fails `stumbles` times before it succeeds, or ends with a terminal failure. */
  | { readonly do: "run"; readonly name: string; readonly stumbles: number; readonly refuses: boolean }
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "call"; readonly of: Program; readonly key?: string };

export type Step =
  | Branch
  | { readonly do: "all" | "race"; readonly branches: readonly Branch[] }
  | { readonly do: "send"; readonly of: Program; readonly delayMs: number; readonly key?: string }
  /** Sends a program and attaches to it by its id. */
  | { readonly do: "attach"; readonly of: Program; readonly key?: string }
  /** Sends a program, cancels it, and waits for its end. */
  | { readonly do: "cancel"; readonly of: Program }
  /** Sends a program under a key, or as the run of a workflow, and attaches by that target, without waiting for the id. */
  | { readonly do: "attach-by"; readonly of: Program; readonly key?: string }
  /** Sends a program, sends it signals of one name, and waits for its end. */
  | { readonly do: "signals"; readonly of: Program; readonly count: number }
  /** Waits for signals of one name, one after the other. */
  | { readonly do: "hear"; readonly count: number }
  /** Waits for a promise of its workflow, which a child completes. */
  | { readonly do: "promise"; readonly name: string }
  /** Completes a promise of the workflow whose shared handler plays the program. */
  | { readonly do: "complete"; readonly name: string }
  /** Sets values of the state of its object or workflow. */
  | { readonly do: "remember"; readonly name: string; readonly values: Values }
  /** Waits for an awakeable. A child or the actor outside of the engine resolves it: at once, or after `Outside.remind`. */
  | {
      readonly do: "await";
      readonly by: "child" | "outside" | "outside-later";
      readonly name: string;
      readonly refuses: boolean;
    };

/** Values of one size under names of one size. */
export interface Values {
  readonly count: number;
  readonly nameBytes: number;
  readonly valueBytes: number;
}

export interface Program {
  /**
   * The name is unique, because `verdict` complains if two invocations have programs with one name. It contains only letters and
   * digits, as does the name of a step, which is a part of a `TOKEN` (`ledger.ts`).
   */
  readonly name: string;
  readonly steps: readonly Step[];
  /** The key of the object on which the program runs exclusively: the program adds its name to the log before its first step. */
  readonly object?: string;
  /** The id of the workflow whose run plays the program. */
  readonly flow?: string;
  /** The id of the workflow whose shared handler plays the program. */
  readonly beside?: string;
  /** The result is kept for only a second, so that the id of the invocation may be free when a driver redoes the send later. */
  readonly brief?: boolean;
  /** Ends with this terminal failure instead of the results of its steps. */
  readonly fails?: number;
  /** True if a cancel ends the program at whatever step. After a cancel, any other program goes on with its next step. */
  readonly yields?: boolean;
}

/** The input of a handler: its program, and for a child that resolves an awakeable, the awakeable. */
export interface Part {
  readonly program: Program;
  readonly resolves?: { readonly awakeable: string; readonly refuses: boolean };
}

export const SERVICE = "S";
export const OBJECT = "O";
/** The name of a service whose results are kept for a short time. */
export const BRIEF = "B";
export const BRIEF_KEPT_MS = 1_000;
export const FLOW = "W";
export const HANDLER = "play";
/** The handler of a workflow that runs beside its run. */
export const SHARED = "tell";
/** The state of an object: the names of the programs that ran on it, in their order. */
export const LOG = "log";

/** The output of a program on an object: the log that it found, and the results of its steps. */
export interface Keyed {
  readonly before: readonly string[];
  readonly given: readonly unknown[];
}

export function targetOf({ object, brief, flow, beside }: Program): Target {
  if (flow !== undefined) return { service: FLOW, handler: HANDLER, ...placeOf(flow) };
  if (beside !== undefined) return { service: FLOW, handler: SHARED, ...placeOf(beside) };
  if (object !== undefined) return { service: OBJECT, handler: HANDLER, ...placeOf(object) };
  return { service: brief === true ? BRIEF : SERVICE, handler: HANDLER };
}

const NUMBERED = /^([a-z]+)(\d+)$/;

/**
 * Objects and workflows whose names differ by their number have one key, and differ by their scope: number 0 is in none. So a
 * scope that gets lost anywhere mixes up their logs, locks and promises.
 */
function placeOf(name: string): { readonly key: string; readonly scope?: Scope } {
  const [, key, number] = NUMBERED.exec(name) ?? [];
  if (key === undefined) return { key: name };
  return { key, ...(Number(number) > 0 && { scope: parseScope(`s${number}`)! }) };
}

/** @returns what names the key of a workflow */
export function flowAt(name: string): KeyOwner {
  return { service: FLOW, ...placeOf(name) };
}

/** The inverse of `placeOf`. */
export function nameOfPlace({ key = "", scope }: KeyOwner): string {
  return scope === undefined ? (/^[a-z]+$/.test(key) ? `${key}0` : key) : `${key}${scope.slice(1)}`;
}

/** The result of a step that sleeps, because a sleep returns no value. */
export const SLEPT = "slept";
export const WOKEN = "woken";
export const TELLS = "tells";
/** The code of every failure that a program contains. */
export const REFUSED = 418;
/** The code of a rejected awakeable. */
export const REJECTED = 500;

/** @returns the child that resolves the awakeable of a step */
export function resolverOf(program: Program, name: string): Program {
  const steps = [{ do: "run", name: TELLS, stumbles: 0, refuses: false }] as const;
  return { name: `${program.name}r${name}`, steps };
}

/** @returns the child that completes the promise of a step */
export function tellerOf({ name, flow = "" }: Program, promise: string): Program {
  const told = { do: "run", name: TELLS, stumbles: 0, refuses: false } as const;
  return { name: `${name}t${promise}`, steps: [told, { do: "complete", name: promise }], beside: flow };
}

/** The result of a step that sets values. */
export const KEPT = "kept";

/** @returns the names of the values that a step sets */
export function namesOf({ count, nameBytes }: Values): readonly string[] {
  return Array.from({ length: count }, (_, at) => `n${at}`.padEnd(nameBytes, "x"));
}

/** @returns the value under each of the names: it shows the program and the step that set it */
export function valueOf({ name }: Program, step: string, { valueBytes }: Values): string {
  return `${name}.${step}`.padEnd(valueBytes, "-");
}

/** The code of a cancel, and of a kill. */
export const INTERRUPTED = 409;

export function failedText(code: number): string {
  return `failed ${code}`;
}
