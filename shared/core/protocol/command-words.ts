/** How a timeline shows each command: its kind, the verb before its label, whether it lasts, and whether it has a value. */
import type { CommandName, CompletedName } from "./commands.ts";

export type CommandKind =
  | "input"
  | "run"
  | "call"
  | "send"
  | "sleep"
  | "state"
  | "awakeable"
  | "promise"
  | "signal"
  | "attach"
  | "output";

export interface CommandWords {
  readonly kind: CommandKind;
  /** The verb in front of the label, for kinds with several commands. */
  readonly verb?: string;
  /** True for a command that lasts until a notification completes it. */
  readonly lasts: boolean;
  /** True if the command may contain a value, or tells that it contains none. */
  readonly hasValue: boolean;
  /** True if the id of the invocation that the command names may stand for its label. */
  readonly idIsLabel?: true;
}

type Lasts<N extends CommandName> = { readonly lasts: N extends CompletedName ? true : false };

const WORDS: { readonly [N in CommandName]: CommandWords & Lasts<N> } = {
  Input: { kind: "input", lasts: false, hasValue: true },
  Output: { kind: "output", lasts: false, hasValue: true },
  GetLazyState: { kind: "state", verb: "get", lasts: true, hasValue: false },
  SetState: { kind: "state", verb: "set", lasts: false, hasValue: true },
  ClearState: { kind: "state", verb: "clear", lasts: false, hasValue: false },
  ClearAllState: { kind: "state", verb: "clear all", lasts: false, hasValue: false },
  GetLazyStateKeys: { kind: "state", verb: "get all keys", lasts: true, hasValue: true },
  GetEagerState: { kind: "state", verb: "get", lasts: false, hasValue: true },
  GetEagerStateKeys: { kind: "state", verb: "get all keys", lasts: false, hasValue: true },
  GetPromise: { kind: "promise", verb: "await", lasts: true, hasValue: false },
  PeekPromise: { kind: "promise", verb: "peek", lasts: true, hasValue: false },
  CompletePromise: { kind: "promise", verb: "complete", lasts: true, hasValue: true },
  Sleep: { kind: "sleep", lasts: true, hasValue: false },
  Call: { kind: "call", lasts: true, hasValue: true },
  OneWayCall: { kind: "send", lasts: false, hasValue: true },
  SendSignal: { kind: "signal", verb: "send", lasts: false, hasValue: true },
  Run: { kind: "run", lasts: true, hasValue: false },
  AttachInvocation: { kind: "attach", lasts: true, hasValue: false, idIsLabel: true },
  GetInvocationOutput: { kind: "attach", verb: "output of", lasts: true, hasValue: false },
  CompleteAwakeable: { kind: "awakeable", verb: "complete", lasts: false, hasValue: true },
};

/** @returns undefined for a name that no command has */
export function wordsOf(name: string): CommandWords | undefined {
  return Object.hasOwn(WORDS, name) ? WORDS[name as CommandName] : undefined;
}
