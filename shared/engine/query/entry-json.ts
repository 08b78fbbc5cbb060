/** A journal entry as the JSON of the journal table: with its payloads as arrays of byte values, and small, without them. */
import type { CommandEntry, Entry, NotificationEntry } from "../../core/invocation/entry.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Header } from "../../core/model/header.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import type { Infer } from "../../core/model/proto3.ts";
import { type ChildRequest, resultJson, resultOf, signalJson } from "../../core/protocol/command-parts.ts";
import { type JsonForm, commandRow } from "../../core/protocol/commands.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NotificationMessage } from "../../core/protocol/notifications.ts";
import type { ServiceType, Target } from "../../core/model/target.ts";

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

export function entryJson(entry: Entry, invocation: Invocation, types: RegisteredTypes): unknown {
  return entry.kind === "command"
    ? { Command: { [entry.type]: commandJson(entry, invocation, types) } }
    : { Notification: notificationJson(entry) };
}

/** The small JSON, from which clients draw the timeline. @returns a value for `JSON.stringify`, which leaves out the undefined members */
export function entryLite(entry: Entry, journal: Pick<Journal, "childIds">, types: RegisteredTypes): unknown {
  return entry.kind === "command"
    ? { Command: { [entry.type]: commandLite(entry, journal, types) } }
    : { Notification: notificationLite(entry) };
}

function commandJson(
  { command, type, name }: CommandEntry,
  { acceptance, journal }: Invocation,
  types: RegisteredTypes,
) {
  const form: JsonForm = {
    result: resultJson,
    child: (child) => ({ request: requestJson(child, journal.childIds.get(child.idCompletionId), types) }),
    input: () => ({ headers: headersJson(acceptance.headers), payload: [...acceptance.input] }),
    payloads: (members) => members(),
  };
  return { ...commandRow(type).json(command, form), name };
}

function commandLite(entry: CommandEntry, { childIds }: Pick<Journal, "childIds">, types: RegisteredTypes) {
  const none = () => ({});
  const form: JsonForm = {
    result: resultWord,
    child: ({ idCompletionId, target }) => ({
      invocation_id: childIds.get(idCompletionId),
      invocation_target: targetJson(target, types),
    }),
    input: none,
    payloads: none,
  };
  const row = commandRow(entry.type);
  const name = row.showsName && entry.name !== "" ? entry.name : undefined;
  return { ...row.json(entry.command, form), name };
}

function requestJson(
  { target, input, headers, idempotencyKey, limitKey }: ChildRequest,
  invocationId: string | undefined,
  types: RegisteredTypes,
) {
  return {
    invocation_id: invocationId ?? null,
    invocation_target: targetJson(target, types),
    span_context: NO_SPAN,
    parameter: [...input],
    headers: headersJson(headers),
    idempotency_key: idempotencyKey ?? null,
    ...(limitKey !== undefined && { limit_key: limitKey }),
    // The retention of the child is in the acceptance of the child; these members are present because clients require them.
    completion_retention_duration: NO_TIME,
    journal_retention_duration: NO_TIME,
  };
}

function headersJson(headers: readonly Header[]) {
  return headers.map(({ key, value }) => ({ name: key, value }));
}

function resultWord(result: Result | undefined): string {
  if (result === undefined) return "Void";
  return result.kind === "success" ? "Success" : "Failure";
}

function notificationJson({ id, type, frame }: NotificationEntry): unknown {
  const message = decode(NotificationMessage, framesOf(frame)[0]?.payload ?? new Uint8Array(0));
  const { invocationId, stateKeys } = message;
  const result = resultJson(resultOf(message));
  if (!("completionId" in id)) return { Signal: { id: signalJson(id), result } };
  return { Completion: { [type]: { completion_id: id.completionId, ...completed() } } };

  function completed(): Record<string, unknown> {
    if (invocationId !== undefined) return { invocation_id: invocationId };
    if (stateKeys !== undefined) return { state_keys: stateKeys.keys.map((key) => text.decode(key)) };
    // The end of a sleep has no result.
    return type === "Sleep" ? {} : { result };
  }
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

export interface RegisteredTypes {
  /** By service name. */
  readonly serviceTypes: ReadonlyMap<string, ServiceType>;
  /** `<service>/<handler>` of the shared handlers. */
  readonly sharedHandlers: ReadonlySet<string>;
}

/** A service that is no longer registered counts as an object if the target has a key. */
export function targetJson(target: Target, types: RegisteredTypes): unknown {
  const { service: name, handler, key, scope = null } = target;
  if (key === undefined) return { Service: { name, handler, scope } };
  const isShared = types.sharedHandlers.has(`${name}/${handler}`);
  const isWorkflow = types.serviceTypes.get(name) === "workflow";
  const own = isWorkflow ? "Workflow" : "Exclusive";
  const told = { name, key, handler, handler_ty: isShared ? "Shared" : own, scope };
  return isWorkflow ? { Workflow: told } : { VirtualObject: told };
}
