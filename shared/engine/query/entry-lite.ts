/** A journal entry as a small JSON without payloads, from which clients draw the timeline of an invocation. */
import type { CommandEntry, Entry, Lookup, NotificationEntry, SignalName } from "../../core/invocation/entry.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Infer } from "../../core/model/proto3.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notification-messages.ts";
import { aboutOf } from "../operate/entry-view.ts";
import { targetJson, type TargetTypes } from "./target-json.ts";

/** @returns a value for `JSON.stringify`, which leaves out the undefined members */
export function entryLite(entry: Entry, journal: Pick<Journal, "childIds">, types: TargetTypes): unknown {
  return entry.kind === "command"
    ? { Command: { [entry.type]: commandLite(entry, journal, types) } }
    : { Notification: notificationLite(entry) };
}

function commandLite(entry: CommandEntry, journal: Pick<Journal, "childIds">, types: TargetTypes): unknown {
  const { command } = entry;
  const name = entry.name === "" ? undefined : entry.name;
  switch (command.kind) {
    case "output":
      return { result: resultWord(command.result) };
    case "run":
      return { completion_id: command.completionId, name };
    case "sleep":
      return { wake_up_time: command.wakeAtMs, completion_id: command.completionId, name };
    case "call":
    case "send":
      return {
        invocation_id: journal.childIds.get(command.child.idCompletionId),
        invocation_target: targetJson(command.child.target, types),
        invoke_time: command.kind === "send" ? command.startAtMs : undefined,
        invocation_id_completion_id: command.child.idCompletionId,
        result_completion_id: command.kind === "call" ? command.completionId : undefined,
        name,
      };
    case "signal":
      return {
        target_invocation_id: command.invocationId,
        signal_id: signalJson(command.signal),
        result: resultWord(command.result),
      };
    case "complete-awakeable":
      return { id: command.awakeableId, result: resultWord(command.result) };
    case "attach":
    case "get-output":
      return { target: lookupJson(command.lookup), completion_id: command.completionId };
    default:
      return {
        key: aboutOf(entry, journal).key,
        completion_id: "completionId" in command ? command.completionId : undefined,
      };
  }
}

export function signalJson(signal: SignalName): unknown {
  return "index" in signal ? { Index: signal.index } : { Name: signal.name };
}

export function lookupJson(lookup: Lookup): unknown {
  switch (lookup.kind) {
    case "id":
      return { InvocationId: lookup.invocationId };
    case "idempotency": {
      const { service, handler, key } = lookup.target;
      const { idempotencyKey } = lookup;
      return {
        IdempotentRequest: {
          service_name: service,
          service_key: key ?? null,
          service_handler: handler,
          idempotency_key: idempotencyKey,
        },
      };
    }
    case "workflow":
      return { Workflow: { service_name: lookup.service, key: lookup.key } };
  }
}

function resultWord(result: Result | undefined): string {
  if (result === undefined) return "Void";
  return result.kind === "success" ? "Success" : "Failure";
}

function notificationLite({ id, type, frame }: NotificationEntry): unknown {
  const message = decode(NotificationMessage, framesOf(frame)[0]?.payload ?? new Uint8Array(0));
  if (!("completionId" in id))
    return {
      ty: "Signal",
      id: "index" in id ? { SignalIndex: id.index } : { SignalName: id.name },
      result: notifiedWord(message),
    };
  return { ty: { Completion: type }, id: { CompletionId: id.completionId }, result: notifiedWord(message) };
}

function notifiedWord({ value, failure, invocationId, stateKeys }: Infer<typeof NotificationMessage>): string {
  if (value !== undefined) return "Success";
  if (failure !== undefined) return "Failure";
  if (invocationId !== undefined) return "InvocationId";
  return stateKeys === undefined ? "Void" : "StateKeys";
}
