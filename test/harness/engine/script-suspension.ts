/** The frames by which a scripted handler reports what it awaits: during an attempt, or at its end. */
import {
  AwaitingOnMessage,
  SuspensionListsMessage,
  SuspensionTreeMessage,
  CONTROL,
} from "../../../shared/core/protocol/control-messages.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import type { Tree } from "./script-awaits.ts";

const CANCEL = 1;

export const NOTHING = { completions: [], signals: [], namedSignals: [], nested: [], combinator: 0 };

function awaitingOn(tree: Tree) {
  return { ...NOTHING, signals: [CANCEL], nested: [tree], combinator: 1 };
}

interface Lists {
  readonly waitingCompletions: readonly number[];
  readonly waitingSignals: readonly number[];
  readonly waitingNamedSignals: readonly string[];
}

function listsOf(tree: Tree): Lists {
  const nested = tree.nested.map(listsOf);
  return {
    waitingCompletions: [...tree.completions, ...nested.flatMap((one) => one.waitingCompletions)],
    waitingSignals: [...tree.signals, ...nested.flatMap((one) => one.waitingSignals)],
    waitingNamedSignals: [...tree.namedSignals, ...nested.flatMap((one) => one.waitingNamedSignals)],
  };
}

export function awaitingOnFrame(tree: Tree): Uint8Array {
  return messageFrame(CONTROL.AwaitingOn, AwaitingOnMessage, { awaitingOn: awaitingOn(tree) });
}

export function suspensionFrame(version: number, tree: Tree): Uint8Array {
  const root = awaitingOn(tree);
  return version >= 7
    ? messageFrame(CONTROL.Suspension, SuspensionTreeMessage, { awaitingOn: root })
    : messageFrame(CONTROL.Suspension, SuspensionListsMessage, listsOf(root));
}
