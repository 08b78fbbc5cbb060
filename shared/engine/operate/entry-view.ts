/** The journal for operators: each entry with its type, its name, key or target, and the moment at which it was received. */
import type { CommandEntry, Entry, NotificationEntry } from "../../core/invocation/entry.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { type CommandFacts, signalText } from "../../core/protocol/command-parts.ts";
import { commandRow } from "../../core/protocol/commands.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notifications.ts";
import type { EntryView, EntryChoice } from "../ports/submission.ts";

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
    ...(withValues && valued(valueIn(entry, input))),
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
  return { ...(name !== "" && { name }), ...factsOf(entry, journal), ...(isFailure && { failed: true as const }) };
}

/** The fact by which a reader recognises the command. */
export function factsOf({ type, command }: CommandEntry, { childIds }: Pick<Journal, "childIds">): CommandFacts {
  return commandRow(type).facts(command, "child" in command ? childIds.get(command.child.idCompletionId) : undefined);
}

/**
 * @param input the input of the invocation, which is the value of its first entry
 * @returns undefined for an entry without a value, such as a sleep or a failure
 */
function valueIn(entry: Entry, input: Uint8Array): Uint8Array | undefined {
  if (entry.kind === "command") return commandRow(entry.type).value(entry.command, input);
  const payload = framesOf(entry.frame)[0]?.payload;
  return payload && decode(NotificationMessage, payload).value?.content;
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
