/** Converts between the frames of the protocol and the entries of a journal. */
import type {
  ChildRequest,
  Command,
  CommandEntry,
  Entry,
  Lookup,
  NotificationEntry,
  SignalName,
} from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import type { TargetTypes } from "../../core/model/target.ts";
import { commandOf } from "../../core/protocol/command-check.ts";
import type { CommandMessage, Command as WireCommand } from "../../core/protocol/command-messages.ts";
import { framesOf } from "../../core/protocol/frame.ts";
import { NOTIFICATIONS } from "../../core/protocol/notification-messages.ts";
import { callInvocationIdCompletion, notificationHead, sleepCompletion } from "../../core/protocol/notifications.ts";
import { failureFromWire } from "../../core/protocol/wire-values.ts";
import { StoreError } from "../ports/table.ts";

type WireResult = { readonly [K in "value" | "failure"]?: CommandMessage<"Output">[K] | undefined };
type WireLookup = CommandMessage<"AttachInvocation">;

const NOTIFICATION_TYPES = new Map<number, string>(
  Object.entries(NOTIFICATIONS).map(([name, code]) => [code, name.replace(/Completion$/, "")]),
);

export function commandEntry(wire: WireCommand, frame: Uint8Array, receivedAtMs?: number): CommandEntry {
  const entry = { kind: "command", type: wire.name, name: wire.message.name, command: meaningOf(wire), frame } as const;
  return receivedAtMs === undefined ? entry : { ...entry, receivedAtMs };
}

function meaningOf({ name, message }: WireCommand): Command {
  switch (name) {
    case "Output":
      return { kind: "output", result: resultOf(message) ?? { kind: "success", value: new Uint8Array(0) } };
    case "Run":
      return { kind: "run", completionId: message.resultCompletionId };
    case "Sleep":
      return { kind: "sleep", completionId: message.resultCompletionId, wakeAtMs: message.wakeUpTimeMs };
    case "Call":
      return { kind: "call", child: childOf(message), completionId: message.resultCompletionId };
    case "OneWayCall":
      return { kind: "send", child: childOf(message), startAtMs: message.invokeTimeMs };
    case "SendSignal": {
      const { targetInvocationId: invocationId } = message;
      return { kind: "signal", invocationId, signal: signalOf(message), result: resultOf(message) };
    }
    case "CompleteAwakeable":
      return { kind: "complete-awakeable", awakeableId: message.awakeableId, result: resultOf(message) };
    case "AttachInvocation":
      return { kind: "attach", lookup: lookupOf(message), completionId: message.resultCompletionId };
    case "GetInvocationOutput":
      return { kind: "get-output", lookup: lookupOf(message), completionId: message.resultCompletionId };
    default:
      return keyedMeaningOf({ name, message } as WireCommand) ?? { kind: "plain" };
  }
}

const decoder = new TextDecoder();

/** State keys are bytes in the protocol and text in every SDK. */
function keyedMeaningOf({ name, message }: WireCommand): Command | undefined {
  switch (name) {
    case "GetLazyState":
      return { kind: "get-state", key: decoder.decode(message.key), completionId: message.resultCompletionId };
    case "GetLazyStateKeys":
      return { kind: "get-state-keys", completionId: message.resultCompletionId };
    case "SetState": {
      const value = message.value?.content ?? new Uint8Array(0);
      return { kind: "change-state", change: { kind: "set", key: decoder.decode(message.key), value } };
    }
    case "ClearState":
      return { kind: "change-state", change: { kind: "clear", key: decoder.decode(message.key) } };
    case "ClearAllState":
      return { kind: "change-state", change: { kind: "clear-all" } };
    case "GetPromise":
      return { kind: "get-promise", name: message.key, completionId: message.resultCompletionId };
    case "PeekPromise":
      return { kind: "peek-promise", name: message.key, completionId: message.resultCompletionId };
    case "CompletePromise": {
      const { completionValue: value, completionFailure: failure, resultCompletionId: completionId } = message;
      const result = resultOf({ value, failure }) ?? { kind: "success", value: new Uint8Array(0) };
      return { kind: "complete-promise", name: message.key, result, completionId };
    }
    default:
      return undefined;
  }
}

/** Leaves an empty key out, because only the type of the service decides whether the target has a key (`withKey`). */
function childOf(message: CommandMessage<"Call"> | CommandMessage<"OneWayCall">): ChildRequest {
  const { serviceName: service, handlerName: handler, key, idempotencyKey, parameter: input, headers } = message;
  return {
    target: { service, handler, ...(key !== "" && { key }) },
    input,
    headers,
    idCompletionId: message.invocationIdNotificationIdx,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

function resultOf({ value, failure }: WireResult): Result | undefined {
  if (value !== undefined) return { kind: "success", value: value.content };
  return failure === undefined ? undefined : { kind: "failure", failure: failureFromWire(failure) };
}

function signalOf({ signalIndex, signalName }: CommandMessage<"SendSignal">): SignalName {
  return signalName === undefined ? { index: signalIndex ?? 0 } : { name: signalName };
}

function lookupOf({ invocationId, idempotentRequest, workflow }: WireLookup): Lookup {
  if (idempotentRequest !== undefined) {
    const { serviceName: service, handlerName: handler, serviceKey: key, idempotencyKey } = idempotentRequest;
    return { kind: "idempotency", target: { service, handler, ...(key !== undefined && { key }) }, idempotencyKey };
  }
  if (workflow !== undefined) return { kind: "workflow", service: workflow.workflowName, key: workflow.workflowKey };
  return { kind: "id", invocationId: invocationId ?? "" };
}

/**
 * Reads the frames of a stored segment.
 * @param receipts gives the moment of receipt of each entry; without it the moments are unknown
 * @throws StoreError for an unknown code, RangeError or Proto3Error for unreadable bytes
 */
export function entriesOf(frames: Uint8Array, receipts?: Iterator<number, undefined>): readonly Entry[] {
  return framesOf(frames).map(({ raw, type }) => entryOf(raw, type, receipts?.next().value));
}

function entryOf(raw: Uint8Array, type: number, receivedAtMs: number | undefined): Entry {
  const command = commandOf(raw);
  if (command !== undefined) return commandEntry(command, raw, receivedAtMs);
  return notificationEntry(raw, type, receivedAtMs);
}

/** Reads one stored notification; a `CallInvocationId` notification also gives the id of the child. */
export function notificationEntry(raw: Uint8Array, code: number, receivedAtMs?: number): NotificationEntry {
  const type = NOTIFICATION_TYPES.get(code);
  if (type === undefined) throw new StoreError(`a stored entry has the unknown code ${code}`);
  const { id, outcome } = notificationHead(raw);
  const known = "signalIndex" in id ? { index: id.signalIndex } : "signalName" in id ? { name: id.signalName } : id;
  const invocationId = type === "CallInvocationId" ? invocationIdIn(raw) : undefined;
  return {
    kind: "notification",
    type,
    id: known,
    failed: outcome === "failure",
    frame: raw,
    ...(invocationId !== undefined && { invocationId }),
    ...(receivedAtMs !== undefined && { receivedAtMs }),
  };
}

/** The id is the last field of its message and 38 characters long. */
function invocationIdIn(raw: Uint8Array): string {
  return new TextDecoder().decode(raw.subarray(raw.length - 38));
}

/** @param receivedAtMs the moment of the call or send, from which the id follows */
export function childIdEntry(
  completionId: number,
  invocationId: string,
  childTypes: TargetTypes,
  receivedAtMs?: number,
): NotificationEntry {
  const frame = callInvocationIdCompletion(completionId, invocationId);
  const head = { kind: "notification", type: "CallInvocationId", id: { completionId }, failed: false } as const;
  return { ...head, invocationId, childTypes, frame, ...(receivedAtMs !== undefined && { receivedAtMs }) };
}

/** @param receivedAtMs when this server saw that the sleep is over */
export function sleepEntry(completionId: number, receivedAtMs: number): NotificationEntry {
  return {
    kind: "notification",
    type: "Sleep",
    id: { completionId },
    failed: false,
    frame: sleepCompletion(completionId),
    receivedAtMs,
  };
}

/** All frames in a row, as a segment stores them. */
export function framesIn(entries: readonly Entry[]): Uint8Array {
  const total = entries.reduce((size, { frame }) => size + frame.length, 0);
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const { frame } of entries) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}
