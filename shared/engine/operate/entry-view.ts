/** The journal for operators: each entry with its type, its name, key or target, and the moment at which it was received. */
import type { CommandEntry, Entry, Lookup, NotificationEntry, SignalName } from "../../core/invocation/entry.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import { targetText } from "../../core/model/target.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import type { EntryView, EntryChoice } from "../ports/view-parts.ts";
import { entryValue } from "./entry-value.ts";

const decoder = new TextDecoder();

/**
 * @param moments the moment of each entry, in epoch milliseconds
 * @param input the input of the invocation, which is the value of the first entry
 */
export function entryViews(
  journal: Journal,
  moments: readonly number[],
  input: Uint8Array,
  { withValues = false, from = 0, limit = Infinity }: EntryChoice,
): readonly EntryView[] {
  const { entries } = journal;
  const commands = commandPlaces(entries);
  return entries.slice(from, from + limit).map((entry, at) => ({
    index: from + at,
    type: entryType(entry),
    atMs: moments[from + at] ?? 0,
    ...(entry.receivedAtMs === undefined && { isReceiptUnknown: true }),
    ...(entry.kind === "command" ? ofCommand(entry, journal) : ofNotification(entry, journal, commands)),
    ...(withValues && valued(entryValue(entry, input))),
  }));
}

function valued(value: Uint8Array | undefined): Pick<EntryView, "value"> {
  return value === undefined ? {} : { value };
}

export function entryType(entry: Entry): string {
  return entry.kind === "command" ? `Command: ${entry.type}` : `Notification: ${entry.type}`;
}

/**
 * For each command, the index of its entry: a failure names the index of a command, but a restart needs the index of an
 * entry.
 */
export function commandPlaces(entries: readonly Entry[]): readonly number[] {
  return entries.flatMap(({ kind }, index) => (kind === "command" ? [index] : []));
}

function ofCommand(entry: CommandEntry, journal: Journal): Partial<EntryView> {
  const { command, name } = entry;
  const isFailure = command.kind === "output" && command.result.kind === "failure";
  return { ...(name !== "" && { name }), ...aboutOf(entry, journal), ...(isFailure && { failed: true as const }) };
}

/** Few handlers name their commands, so a command is identified by its key, its target or its moment. */
export function aboutOf(
  { command, frame }: CommandEntry,
  { childIds }: Pick<Journal, "childIds">,
): Pick<EntryView, "key" | "target" | "invocationId" | "signal" | "wakeAtMs"> {
  switch (command.kind) {
    case "call":
    case "send": {
      const invocationId = childIds.get(command.child.idCompletionId);
      const { target } = command.child;
      return { target: targetText(target), ...(invocationId !== undefined && { invocationId }) };
    }
    case "sleep":
      return { wakeAtMs: command.wakeAtMs };
    case "signal":
      return { signal: signalText(command.signal), invocationId: command.invocationId };
    case "complete-awakeable":
      return { signal: command.awakeableId };
    case "attach":
    case "get-output":
      return aboutLookup(command.lookup);
    default: {
      const message = commandOf(frame)?.message;
      if (message === undefined || !("key" in message)) return {};
      return { key: typeof message.key === "string" ? message.key : decoder.decode(message.key) };
    }
  }
}

function aboutLookup(lookup: Lookup): Pick<EntryView, "target" | "invocationId"> {
  switch (lookup.kind) {
    case "id":
      return { invocationId: lookup.invocationId };
    case "idempotency":
      return { target: targetText(lookup.target) };
    case "workflow":
      return { target: `${lookup.service}/${lookup.key}` };
  }
}

function ofNotification(
  { id, failed, invocationId }: NotificationEntry,
  { completable }: Journal,
  commands: readonly number[],
): Partial<EntryView> {
  const completes = "completionId" in id ? completable.get(id.completionId)?.commandIndex : undefined;
  const at = completes === undefined ? undefined : commands[completes];
  return {
    ...(at !== undefined && { completes: at }),
    ...(!("completionId" in id) && { signal: signalText(id) }),
    ...(invocationId !== undefined && { invocationId }),
    ...(failed && { failed }),
  };
}

export function signalText(signal: SignalName): string {
  return "name" in signal ? signal.name : String(signal.index);
}
