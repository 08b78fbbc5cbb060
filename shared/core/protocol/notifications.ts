/** Builds the frames of notifications, and reads the id and the outcome of a stored one. */
import type { Failure, Result } from "../model/failure.ts";
import { decode } from "../model/proto3-decode.ts";
import { Proto3Error, bytes, message, oneof, string, uint32 } from "../model/proto3.ts";
import type { Draft, Infer } from "../model/proto3.ts";
import type { Outcome } from "../model/await-tree.ts";
import { HEADER_BYTES, messageFrame } from "./frame.ts";
import { RunCompletionAckMessage } from "./control-messages.ts";
import { CONTROL } from "./messages.ts";
import { NOTIFICATIONS, NotificationMessage } from "./notification-messages.ts";
import type { NotificationName } from "./notification-messages.ts";
import { failureToWire } from "./wire-values.ts";
import type { ProtocolVersion } from "./version.ts";

type Content = Draft<Infer<typeof NotificationMessage>>;

export type SignalId = { readonly signalIndex: number } | { readonly signalName: string };
export type NotificationId = { readonly completionId: number } | SignalId;

/** The built-in signal for a cancel. */
export const CANCEL_SIGNAL = 1;

const VOID: Content = { void: {} };

/** Sets every member, absent ones to undefined, so that all drafts have the same hidden class. */
function frame(name: NotificationName, id: Content, content: Content): Uint8Array {
  return messageFrame(NOTIFICATIONS[name], NotificationMessage, {
    completionId: id.completionId,
    signalIndex: id.signalIndex,
    signalName: id.signalName,
    void: content.void,
    value: content.value,
    failure: content.failure,
    invocationId: content.invocationId,
    stateKeys: content.stateKeys,
  });
}

function failed(failure: Failure, version: ProtocolVersion): Content {
  return { failure: failureToWire(failure, version) };
}

/** @param result undefined if there is no value or no result yet; written as void */
function contentOf(result: Result | undefined, version: ProtocolVersion): Content {
  if (result === undefined) return VOID;
  return result.kind === "success" ? { value: { content: result.value } } : failed(result.failure, version);
}

/**
 * Tells the handler on an open exchange, from V7 on, that the proposed result of a run is durable. This message is no entry of
 * the journal.
 */
export function runCompletionAck(completionId: number): Uint8Array {
  return messageFrame(CONTROL.ProposeRunCompletionAck, RunCompletionAckMessage, { completionId });
}

/** @param value undefined if the key has no value */
export function lazyStateCompletion(completionId: number, value: Uint8Array | undefined): Uint8Array {
  return frame("GetLazyStateCompletion", { completionId }, value === undefined ? VOID : { value: { content: value } });
}

export function lazyStateKeysCompletion(completionId: number, keys: readonly Uint8Array[]): Uint8Array {
  return frame("GetLazyStateKeysCompletion", { completionId }, { stateKeys: { keys } });
}

export function getPromiseCompletion(completionId: number, result: Result, version: ProtocolVersion): Uint8Array {
  return frame("GetPromiseCompletion", { completionId }, contentOf(result, version));
}

/** @param result undefined while the promise is not completed */
export function peekPromiseCompletion(
  completionId: number,
  result: Result | undefined,
  version: ProtocolVersion,
): Uint8Array {
  return frame("PeekPromiseCompletion", { completionId }, contentOf(result, version));
}

/** @param failure present if this command did not complete the promise */
export function completePromiseCompletion(
  completionId: number,
  failure: Failure | undefined,
  version: ProtocolVersion,
): Uint8Array {
  return frame("CompletePromiseCompletion", { completionId }, failure === undefined ? VOID : failed(failure, version));
}

export function sleepCompletion(completionId: number): Uint8Array {
  return frame("SleepCompletion", { completionId }, VOID);
}

export function callCompletion(completionId: number, result: Result, version: ProtocolVersion): Uint8Array {
  return frame("CallCompletion", { completionId }, contentOf(result, version));
}

export function callInvocationIdCompletion(completionId: number, invocationId: string): Uint8Array {
  return frame("CallInvocationIdCompletion", { completionId }, { invocationId });
}

export function runCompletion(completionId: number, result: Result, version: ProtocolVersion): Uint8Array {
  return frame("RunCompletion", { completionId }, contentOf(result, version));
}

export function attachCompletion(completionId: number, result: Result, version: ProtocolVersion): Uint8Array {
  return frame("AttachInvocationCompletion", { completionId }, contentOf(result, version));
}

/** @param result undefined while the invocation is not completed */
export function outputCompletion(
  completionId: number,
  result: Result | undefined,
  version: ProtocolVersion,
): Uint8Array {
  return frame("GetInvocationOutputCompletion", { completionId }, contentOf(result, version));
}

/** @param result undefined for a signal without content, such as CANCEL */
export function signalNotification(id: SignalId, result: Result | undefined, version: ProtocolVersion): Uint8Array {
  return frame("Signal", id, contentOf(result, version));
}

/** The table for reading only the id and the outcome of a notification. */
const NotificationHead = message({
  completionId: oneof("id", uint32(1)),
  signalIndex: oneof("id", uint32(2)),
  signalName: oneof("id", string(3)),
  failure: oneof("result", bytes(6)),
});

/**
 * @param raw one stored notification frame
 * @throws Proto3Error if the frame is unreadable or has no id
 */
export function notificationHead(raw: Uint8Array): { readonly id: NotificationId; readonly outcome: Outcome } {
  const { completionId, signalIndex, signalName, failure } = decode(NotificationHead, raw.subarray(HEADER_BYTES));
  const outcome = failure === undefined ? "success" : "failure";
  if (completionId !== undefined) return { id: { completionId }, outcome };
  if (signalIndex !== undefined) return { id: { signalIndex }, outcome };
  if (signalName !== undefined) return { id: { signalName }, outcome };
  throw new Proto3Error("a notification names neither a completion nor a signal");
}
