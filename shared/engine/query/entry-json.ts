/** A journal entry as the JSON of the journal table: payloads are arrays of byte values. */
import type { ChildRequest, CommandEntry, Entry, NotificationEntry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Result } from "../../core/model/failure.ts";
import type { StateChange } from "../../core/model/state-change.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notification-messages.ts";
import { lookupJson, signalJson } from "./entry-lite.ts";
import { targetJson, type TargetTypes } from "./target-json.ts";

const text = new TextDecoder();
const NO_TIME = { secs: 0, nanos: 0 };
const NO_SPAN = {
  span_context: {
    trace_id: Array.from({ length: 16 }, () => 0),
    span_id: Array.from({ length: 8 }, () => 0),
    trace_flags: 0,
    is_remote: false,
    trace_state: "",
  },
  cause: null,
};

export function entryJson(entry: Entry, invocation: Invocation, types: TargetTypes): unknown {
  return entry.kind === "command"
    ? { Command: { [entry.type]: commandJson(entry, invocation, types) } }
    : { Notification: notificationJson(entry) };
}

function commandJson(
  { command, type, name, frame }: CommandEntry,
  { acceptance, journal }: Invocation,
  types: TargetTypes,
): unknown {
  if (type === "Input") {
    const headers = acceptance.headers.map(({ key, value }) => ({ name: key, value }));
    return { headers, payload: [...acceptance.input], name };
  }
  switch (command.kind) {
    case "output":
      return { result: resultJson(command.result), name };
    case "run":
      return { completion_id: command.completionId, name };
    case "sleep":
      return { wake_up_time: command.wakeAtMs, completion_id: command.completionId, name };
    case "call":
      return {
        request: requestJson(command.child, journal.childIds.get(command.child.idCompletionId), types),
        invocation_id_completion_id: command.child.idCompletionId,
        result_completion_id: command.completionId,
        name,
      };
    case "send":
      return {
        request: requestJson(command.child, journal.childIds.get(command.child.idCompletionId), types),
        invoke_time: command.startAtMs,
        invocation_id_completion_id: command.child.idCompletionId,
        name,
      };
    case "complete-awakeable":
      return { id: command.awakeableId, result: maybeJson(command.result), name };
    case "signal":
      return {
        target_invocation_id: command.invocationId,
        signal_id: signalJson(command.signal),
        result: maybeJson(command.result),
        name,
      };
    case "attach":
    case "get-output":
      return { target: lookupJson(command.lookup), completion_id: command.completionId, name };
    case "change-state":
      return stateChangeJson(command.change, name);
    case "get-state":
      return { key: command.key, completion_id: command.completionId, name };
    case "get-promise":
    case "peek-promise":
      return { key: command.name, completion_id: command.completionId, name };
    case "complete-promise":
      return { key: command.name, value: resultJson(command.result), completion_id: command.completionId, name };
    default:
      return {
        ...eagerStateJson(frame),
        ...("completionId" in command && { completion_id: command.completionId }),
        name,
      };
  }
}

function stateChangeJson(change: StateChange, name: string): unknown {
  return { ...("key" in change && { key: change.key }), ...("value" in change && { value: [...change.value] }), name };
}

/** What a handler read of the state that came with its attempt: only the message has it, because the engine does not need it. */
function eagerStateJson(frame: Uint8Array): Record<string, unknown> {
  const command = commandOf(frame);
  if (command?.name === "GetEagerState") {
    const { key, value } = command.message;
    return { key: text.decode(key), result: value === undefined ? "Void" : { Success: [...value.content] } };
  }
  if (command?.name !== "GetEagerStateKeys") return {};
  return { state_keys: (command.message.value?.keys ?? []).map((key) => text.decode(key)) };
}

function requestJson(
  { target, input, headers, idempotencyKey }: ChildRequest,
  invocationId: string | undefined,
  types: TargetTypes,
): unknown {
  return {
    invocation_id: invocationId ?? null,
    invocation_target: targetJson(target, types),
    span_context: NO_SPAN,
    parameter: [...input],
    headers: headers.map((header) => ({ name: header.key, value: header.value })),
    idempotency_key: idempotencyKey ?? null,
    // The retention of the child is in the acceptance of the child; these members are present because clients require them.
    completion_retention_duration: NO_TIME,
    journal_retention_duration: NO_TIME,
  };
}

function maybeJson(result: Result | undefined): unknown {
  return result === undefined ? "Void" : resultJson(result);
}

function resultJson(result: Result): unknown {
  return result.kind === "success"
    ? { Success: [...result.value] }
    : { Failure: { code: result.failure.code, message: result.failure.message } };
}

function notificationJson({ id, type, frame }: NotificationEntry): unknown {
  const payload = framesOf(frame)[0]?.payload ?? new Uint8Array(0);
  const { value, failure, invocationId, stateKeys } = decode(NotificationMessage, payload);
  const result =
    value !== undefined
      ? { Success: [...value.content] }
      : failure !== undefined
        ? { Failure: { code: failure.code, message: failure.message } }
        : "Void";
  if (!("completionId" in id))
    return { Signal: { id: "index" in id ? { Index: id.index } : { Name: id.name }, result } };
  return { Completion: { [type]: { completion_id: id.completionId, ...completed() } } };

  function completed(): Record<string, unknown> {
    if (invocationId !== undefined) return { invocation_id: invocationId };
    if (stateKeys !== undefined) return { state_keys: stateKeys.keys.map((key) => text.decode(key)) };
    // The end of a sleep has no result.
    return type === "Sleep" ? {} : { result };
  }
}
