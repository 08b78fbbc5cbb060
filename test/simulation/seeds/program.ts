/** Programs: what a handler does, as a value that is its input, so that one handler plays whatever a seed draws. */
import type { Target } from "../../../shared/core/model/target.ts";

/** What can be awaited beside others. */
export type Branch =
  /** A closure that fails so often before it works, or ends with a terminal failure. */
  | { readonly do: "run"; readonly name: string; readonly stumbles: number; readonly refuses: boolean }
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "call"; readonly of: Program; readonly key?: string };

export type Step =
  | Branch
  | { readonly do: "all" | "race"; readonly branches: readonly Branch[] }
  | { readonly do: "send"; readonly of: Program; readonly delayMs: number; readonly key?: string }
  /** Sends a program and waits for its result by its id. */
  | { readonly do: "attach"; readonly of: Program; readonly key?: string }
  /** Sends a program, cancels it, and waits for its end. */
  | { readonly do: "cancel"; readonly of: Program }
  /** Waits for an awakeable that a child of its own resolves, or an actor outside, who may put that off. */
  | {
      readonly do: "await";
      readonly by: "child" | "outside" | "outside-later";
      readonly name: string;
      readonly refuses: boolean;
    };

export interface Program {
  /** Nobody else bears it: two invocations of one name are one too many. Of the letters that a token may have. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** The key of the object that it runs on, exclusively: it adds its name to the log there before its first step. */
  readonly object?: string;
  /** Its result is kept for a second, so that its id is free when what made it is looked at once more. */
  readonly brief?: boolean;
  /** Ends with this terminal failure, and not with what its steps gave. */
  readonly fails?: number;
  /** Ends when it is cancelled, wherever that meets it; others go on with their next step. */
  readonly yields?: boolean;
}

/** The input of a handler: what it plays, and in a child that resolves an awakeable, which one. */
export interface Part {
  readonly program: Program;
  readonly resolves?: { readonly awakeable: string; readonly refuses: boolean };
}

export const SERVICE = "S";
export const OBJECT = "O";
/** As the service, with a short memory of what has ended. */
export const BRIEF = "B";
export const BRIEF_KEPT_MS = 1_000;
export const HANDLER = "play";
/** The state of an object: the names of the programs that ran on it, in their order. */
export const LOG = "log";

/** What a program on an object gives: what it found in the log, and what its steps gave. */
export interface Keyed {
  readonly before: readonly string[];
  readonly given: readonly unknown[];
}

export function targetOf({ object, brief }: Program): Target {
  if (object !== undefined) return { service: OBJECT, key: object, handler: HANDLER };
  return { service: brief === true ? BRIEF : SERVICE, handler: HANDLER };
}

/** What a step gives that brings nothing else. */
export const SLEPT = "slept";
export const WOKEN = "woken";
export const TELLS = "tells";
/** The code of every failure that a program asks for. */
export const REFUSED = 418;
/** The code that a rejected awakeable comes with. */
export const REJECTED = 500;

/** The child that resolves the awakeable of a step. */
export function resolverOf(program: Program, name: string): Program {
  const steps = [{ do: "run", name: TELLS, stumbles: 0, refuses: false }] as const;
  return { name: `${program.name}r${name}`, steps };
}

/** The code of a cancel, and of a kill. */
export const INTERRUPTED = 409;

export function failedText(code: number): string {
  return `failed ${code}`;
}
