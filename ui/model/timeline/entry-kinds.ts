/** The kind and the label of a journal entry in a timeline. */
import type { EntryBody } from "../../../shared/api/contract/invocations.ts";
import { wordsOf } from "../../../shared/core/protocol/command-words.ts";
import type { OperationKind } from "./operation.ts";

const SEPARATOR = ": ";
const CANCEL_SIGNAL = "1";
/** Signals with a lower index have a meaning of their own; SDKs number awakeables from here on. */
const AWAKEABLE_SIGNAL_MIN = 17;

export function isCommand({ type }: EntryBody): boolean {
  return type.startsWith("Command: ");
}

/** The name of the message, such as `SetState`. */
export function messageName({ type }: EntryBody): string {
  return type.slice(type.indexOf(SEPARATOR) + SEPARATOR.length);
}

export function kindOf(entry: EntryBody): OperationKind {
  if (!isCommand(entry) && isAwakeable(entry)) return "awakeable";
  const message = messageName(entry);
  return wordsOf(message)?.kind ?? (message === "Signal" ? "signal" : "other");
}

/** The entry's own words come last: a name that the handler gave, a key, or a target. */
export function labelOf(entry: EntryBody): string {
  const message = messageName(entry);
  const { name = "", key, target, signal, invocation_id: id } = entry;
  if (!isCommand(entry) && signal !== undefined) return signalLabel(entry);
  const words = wordsOf(message);
  const about = key ?? target ?? signal ?? (words?.idIsLabel === true ? id : undefined) ?? "";
  const own = name === "" ? about : name;
  if (words?.verb === undefined) return own === "" ? plainWord(message) : own;
  return own === "" ? words.verb : `${words.verb} ${own}`;
}

function isAwakeable({ signal }: EntryBody): boolean {
  return signal !== undefined && /^\d{2,9}$/.test(signal) && Number(signal) >= AWAKEABLE_SIGNAL_MIN;
}

function signalLabel(entry: EntryBody): string {
  if (entry.signal === CANCEL_SIGNAL) return "cancel";
  return isAwakeable(entry) ? `awakeable ${Number(entry.signal) - AWAKEABLE_SIGNAL_MIN + 1}` : (entry.signal ?? "");
}

function plainWord(message: string): string {
  return message
    .replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`)
    .toLowerCase();
}
