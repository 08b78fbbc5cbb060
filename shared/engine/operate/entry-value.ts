/** The value of a journal entry: the payload that a handler received, sent or stored with it. */
import type { Entry } from "../../core/invocation/entry.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notification-messages.ts";

/**
 * @param input the input of the invocation, which is the value of its first entry
 * @returns undefined for an entry without a value, such as a sleep or a failure
 */
export function entryValue(entry: Entry, input: Uint8Array): Uint8Array | undefined {
  if (entry.kind === "notification") {
    const payload = framesOf(entry.frame)[0]?.payload;
    return payload && decode(NotificationMessage, payload).value?.content;
  }
  if (entry.type === "Input") return input;
  const { command } = entry;
  switch (command.kind) {
    case "output":
    case "signal":
    case "complete-awakeable":
    case "complete-promise":
      return command.result?.kind === "success" ? command.result.value : undefined;
    case "call":
    case "send":
      return command.child.input;
    case "change-state":
      return command.change.kind === "set" ? command.change.value : undefined;
    case "plain": {
      const decoded = commandOf(entry.frame);
      return decoded?.name === "GetEagerState" ? decoded.message.value?.content : undefined;
    }
    default:
      return undefined;
  }
}
