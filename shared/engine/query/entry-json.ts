/** A journal entry as the JSON of the journal table: payloads are arrays of byte values. */
import type { ChildRequest, CommandEntry, Entry, NotificationEntry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notification-messages.ts";

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

export function entryJson(entry: Entry, invocation: Invocation): unknown {
  return entry.kind === "command"
    ? { Command: { [entry.type]: commandJson(entry, invocation) } }
    : { Notification: notificationJson(entry) };
}

function commandJson({ command, type, name }: CommandEntry, { acceptance, journal }: Invocation): unknown {
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
        request: requestJson(command.child, journal.childIds.get(command.child.idCompletionId)),
        invocation_id_completion_id: command.child.idCompletionId,
        result_completion_id: command.completionId,
        name,
      };
    case "send":
      return {
        request: requestJson(command.child, journal.childIds.get(command.child.idCompletionId)),
        invoke_time: command.startAtMs,
        invocation_id_completion_id: command.child.idCompletionId,
        name,
      };
    case "complete-awakeable":
      return { id: command.awakeableId, name };
    case "signal":
      return { target_invocation_id: command.invocationId, name };
    case "change-state":
      return { ...("key" in command.change && { key: command.change.key }), name };
    case "get-state":
      return { key: command.key, completion_id: command.completionId, name };
    case "get-promise":
    case "peek-promise":
    case "complete-promise":
      return { key: command.name, completion_id: command.completionId, name };
    default:
      return { ...("completionId" in command && { completion_id: command.completionId }), name };
  }
}

function requestJson(
  { target, input, headers, idempotencyKey }: ChildRequest,
  invocationId: string | undefined,
): unknown {
  const { service: name, handler, key } = target;
  return {
    invocation_id: invocationId ?? null,
    invocation_target:
      key === undefined
        ? { Service: { name, handler, scope: null } }
        : { VirtualObject: { name, key, handler, handler_ty: "Exclusive", scope: null } },
    span_context: NO_SPAN,
    parameter: [...input],
    headers: headers.map((header) => ({ name: header.key, value: header.value })),
    idempotency_key: idempotencyKey ?? null,
    // The child's own acceptance has its retention; these members are present because clients require them.
    completion_retention_duration: NO_TIME,
    journal_retention_duration: NO_TIME,
  };
}

function resultJson(result: Extract<CommandEntry["command"], { kind: "output" }>["result"]): unknown {
  return result.kind === "success"
    ? { Success: [...result.value] }
    : { Failure: { code: result.failure.code, message: result.failure.message } };
}

function notificationJson({ id, type, frame }: NotificationEntry): unknown {
  const payload = framesOf(frame)[0]?.payload ?? new Uint8Array(0);
  const { value, failure, invocationId } = decode(NotificationMessage, payload);
  const result =
    value !== undefined
      ? { Success: [...value.content] }
      : failure !== undefined
        ? { Failure: { code: failure.code, message: failure.message } }
        : "Void";
  if (!("completionId" in id))
    return { Signal: { id: "index" in id ? { Index: id.index } : { Name: id.name }, result } };
  const content = invocationId === undefined ? { result } : { invocation_id: invocationId };
  return { Completion: { [type]: { completion_id: id.completionId, ...content } } };
}
