/** The notifications, which complete commands or deliver signals: their codes, their fields, and how they are built and read. */
import type { ResultKind } from "../model/await-tree.ts";
import type { Result } from "../model/failure.ts";
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import {
  bytes,
  type Draft,
  type Infer,
  message,
  oneof,
  Proto3Error,
  string,
  submessage,
  uint32,
} from "../model/proto3.ts";
import type { SignalName } from "./command-parts.ts";
import { COMMANDS, type CompletedName } from "./commands.ts";
import { CONTROL, RawProposalMessage, RawRunCompletionMessage, RunCompletionAckMessage } from "./control-messages.ts";
import { HEADER_BYTES, messageFrame } from "./frame.ts";
import { FailureMessage, failureToWire, oneofFailure, oneofValue, oneofVoid, StateKeysMessage } from "./wire-values.ts";
import type { ProtocolVersion } from "./version.ts";
import { encode } from "../model/proto3-encode.ts";

/** All notifications share this shape. Each function here sets only the results that its kind may have. */
export const NotificationMessage = message({
  completionId: oneof("id", uint32(1)),
  signalIndex: oneof("id", uint32(2)),
  signalName: oneof("id", string(3)),
  void: oneofVoid("result", 4),
  value: oneofValue("result", 5),
  failure: oneofFailure("result", 6),
  invocationId: oneof("result", string(16)),
  stateKeys: oneof(
    "result",
    submessage(17, () => StateKeysMessage),
  ),
});

export type NotificationName = `${CompletedName}Completion` | "CallInvocationIdCompletion" | "Signal";

const completions = Object.entries(COMMANDS).flatMap(([name, { completion }]) =>
  completion === undefined ? [] : [[`${name}Completion`, completion.code] as const],
);
/** The codes by name. */
export const NOTIFICATIONS = {
  ...Object.fromEntries(completions),
  CallInvocationIdCompletion: 0x800e,
  Signal: 0xfbff,
} as Readonly<Record<NotificationName, number>>;

export type NotificationId = { readonly completionId: number } | SignalName;

type Content = Draft<Infer<typeof NotificationMessage>>;

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

/** @param result undefined if there is no value or no result yet; written as void */
function contentOf(result: Result | undefined, version: ProtocolVersion): Content {
  if (result === undefined) return VOID;
  return result.kind === "success"
    ? { value: { content: result.value } }
    : { failure: failureToWire(result.failure, version) };
}

/**
 * Tells the handler on an open exchange, from V7 on, that the proposed result of a run is durable. This message is no entry of
 * the journal.
 */
export function runCompletionAck(completionId: number): Uint8Array {
  return messageFrame(CONTROL.ProposeRunCompletionAck, RunCompletionAckMessage, { completionId });
}

/**
 * The completion of a command whose notification contains a result or nothing.
 * @param result undefined if there is no value or no result yet
 */
export function completionFrame(
  name: CompletedName,
  completionId: number,
  result: Result | undefined,
  version: ProtocolVersion,
): Uint8Array {
  return frame(`${name}Completion`, { completionId }, contentOf(COMMANDS[name].completion.contentOf(result), version));
}

/** @param value undefined if the key has no value */
export function lazyStateCompletion(completionId: number, value: Uint8Array | undefined): Uint8Array {
  return frame("GetLazyStateCompletion", { completionId }, value === undefined ? VOID : { value: { content: value } });
}

export function lazyStateKeysCompletion(completionId: number, keys: readonly Uint8Array[]): Uint8Array {
  return frame("GetLazyStateKeysCompletion", { completionId }, { stateKeys: { keys } });
}

export function sleepCompletion(completionId: number): Uint8Array {
  return frame("SleepCompletion", { completionId }, VOID);
}

export function callInvocationIdCompletion(completionId: number, invocationId: string): Uint8Array {
  return frame("CallInvocationIdCompletion", { completionId }, { invocationId });
}

/** @param result undefined for a signal without content, such as CANCEL */
export function signalNotification(
  signal: SignalName,
  result: Result | undefined,
  version: ProtocolVersion,
): Uint8Array {
  const id = "index" in signal ? { signalIndex: signal.index } : { signalName: signal.name };
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
export function notificationHead(raw: Uint8Array): { readonly id: NotificationId; readonly outcome: ResultKind } {
  const { completionId, signalIndex, signalName, failure } = decode(NotificationHead, raw.subarray(HEADER_BYTES));
  const outcome = failure === undefined ? "success" : "failure";
  if (completionId !== undefined) return { id: { completionId }, outcome };
  if (signalIndex !== undefined) return { id: { index: signalIndex }, outcome };
  if (signalName !== undefined) return { id: { name: signalName }, outcome };
  throw new Proto3Error("a notification names neither a completion nor a signal");
}

export interface ProposedCompletion {
  readonly completionId: number;
  readonly failed: boolean;
  readonly frame: Uint8Array;
}

/** @returns undefined if the proposal has no result. @throws Proto3Error */
export function completionOfProposal(
  payload: Uint8Array,
  version: ProtocolVersion,
  budget?: ElementBudget,
): ProposedCompletion | undefined {
  const { resultCompletionId: completionId, value, failure } = decode(RawProposalMessage, payload);
  if (value !== undefined) {
    const frame = messageFrame(NOTIFICATIONS.RunCompletion, NotificationMessage, {
      completionId,
      value: { content: value },
    });
    return { completionId, failed: false, frame };
  }
  if (failure === undefined) return undefined;
  const known = decode(FailureMessage, failure, budget);
  // A failure keeps its bytes, except for V5, which must not receive metadata.
  const passed =
    version >= 6 || known.metadata.length === 0 ? failure : encode(FailureMessage, { ...known, metadata: [] });
  const frame = messageFrame(NOTIFICATIONS.RunCompletion, RawRunCompletionMessage, { completionId, failure: passed });
  return { completionId, failed: true, frame };
}
