/** Programs: the steps of a handler as a value. The value is the input, so that one handler plays any program of a seed. */
import type { Target } from "../../../shared/core/model/target.ts";

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
  /** Waits for an awakeable. A child or the actor outside of the engine resolves it: at once, or after `Outside.remind`. */
  | {
      readonly do: "await";
      readonly by: "child" | "outside" | "outside-later";
      readonly name: string;
      readonly refuses: boolean;
    };

export interface Program {
  /**
   * The name is unique, because `verdict` complains if two invocations have programs with one name. It contains only letters and
   * digits, as does the name of a step, which is a part of a `TOKEN` (`ledger.ts`).
   */
  readonly name: string;
  readonly steps: readonly Step[];
  /** The key of the object on which the program runs exclusively: the program adds its name to the log before its first step. */
  readonly object?: string;
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
export const HANDLER = "play";
/** The state of an object: the names of the programs that ran on it, in their order. */
export const LOG = "log";

/** The output of a program on an object: the log that it found, and the results of its steps. */
export interface Keyed {
  readonly before: readonly string[];
  readonly given: readonly unknown[];
}

export function targetOf({ object, brief }: Program): Target {
  if (object !== undefined) return { service: OBJECT, key: object, handler: HANDLER };
  return { service: brief === true ? BRIEF : SERVICE, handler: HANDLER };
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

/** The code of a cancel, and of a kill. */
export const INTERRUPTED = 409;

export function failedText(code: number): string {
  return `failed ${code}`;
}
