/** One line of a journal as an operator reads it: which command, and what it is about. */
import type { CommandEntry, Entry } from "../../core/invocation/entry.ts";
import { targetText } from "../../core/model/target.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import type { EntryView } from "../ports/submission.ts";

const decoder = new TextDecoder();

export function entryView(entry: Entry, index: number): EntryView {
  if (entry.kind === "notification") return { index, type: `Notification: ${entry.type}` };
  return { index, type: `Command: ${entry.type}`, ...(entry.name !== "" && { name: entry.name }), ...aboutOf(entry) };
}

/** The name of a command is the handler's choice, and most have none: a state command is told by its key, a call by its target. */
function aboutOf({ command, frame }: CommandEntry): Pick<EntryView, "key" | "target"> {
  if (command.kind === "call" || command.kind === "send") return { target: targetText(command.child.target) };
  const message = commandOf(frame)?.message;
  if (message === undefined || !("key" in message)) return {};
  return { key: typeof message.key === "string" ? message.key : decoder.decode(message.key) };
}
