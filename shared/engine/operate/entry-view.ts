/** One line of a journal for operators: the type of the entry, and its name, key or target. */
import type { CommandEntry, Entry } from "../../core/invocation/entry.ts";
import { targetText } from "../../core/model/target.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import type { EntryView } from "../ports/submission.ts";

const decoder = new TextDecoder();

export function entryView(entry: Entry, index: number): EntryView {
  if (entry.kind === "notification") return { index, type: `Notification: ${entry.type}` };
  return { index, type: `Command: ${entry.type}`, ...(entry.name !== "" && { name: entry.name }), ...aboutOf(entry) };
}

/** Few handlers name their commands, so a state command is identified by its key, and a call or send by its target. */
function aboutOf({ command, frame }: CommandEntry): Pick<EntryView, "key" | "target"> {
  if (command.kind === "call" || command.kind === "send") return { target: targetText(command.child.target) };
  const message = commandOf(frame)?.message;
  if (message === undefined || !("key" in message)) return {};
  return { key: typeof message.key === "string" ? message.key : decoder.decode(message.key) };
}
