/** A journal entry as the JSON that clients of the journal's table read: payloads as arrays of byte values. */
import type { ChildRequest, CommandEntry, Entry, NotificationEntry } from "../core/invocation/entry.ts";
import type { Invocation } from "../core/invocation/invocation.ts";

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
    parameter: [...input],
    headers: headers.map((header) => ({ name: header.key, value: header.value })),
    idempotency_key: idempotencyKey ?? null,
  };
}

function resultJson(result: Extract<CommandEntry["command"], { kind: "output" }>["result"]): unknown {
  return result.kind === "success"
    ? { Success: [...result.value] }
    : { Failure: { code: result.failure.code, message: result.failure.message } };
}

function notificationJson({ id, type, failed, invocationId }: NotificationEntry): unknown {
  const result = failed ? "Failure" : "Success";
  if (!("completionId" in id))
    return { Signal: { id: "index" in id ? { Index: id.index } : { Name: id.name }, result } };
  return {
    Completion: {
      [type]: {
        completion_id: id.completionId,
        ...(invocationId === undefined ? { result } : { invocation_id: invocationId }),
      },
    },
  };
}
