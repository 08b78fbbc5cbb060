/** The control messages: they open and end an attempt, or accompany its journal. */
import {
  bool,
  bytes,
  enumeration,
  message,
  oneof,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  uint53,
  uint64,
} from "../model/proto3.ts";
import { FutureMessage, StateEntryMessage, oneofFailure } from "./wire-values.ts";

/** The codes by name. */
export const CONTROL = {
  Start: 0x0000,
  Suspension: 0x0001,
  Error: 0x0002,
  End: 0x0003,
  CommandAck: 0x0004,
  ProposeRunCompletion: 0x0005,
  AwaitingOn: 0x0006,
  ProposeRunCompletionAck: 0x0007,
} as const;

export const StartMessage = message({
  id: bytes(1),
  debugId: string(2),
  knownEntries: uint32(3),
  stateMap: repeated(submessage(4, () => StateEntryMessage)),
  partialState: bool(5),
  key: string(6),
  retryCountSinceLastStoredEntry: uint32(7),
  durationSinceLastStoredEntryMs: uint53(8),
  /** V6 and later. */
  randomSeed: uint64(9),
  /** `scope`, `limitKey` and `idempotencyKey` exist from V7 on. */
  scope: optional(string(10)),
  limitKey: optional(string(11)),
  idempotencyKey: optional(string(12)),
});

/** A suspension of V5 and V6: three flat lists. A notification with any of the ids resumes the invocation. */
export const SuspensionListsMessage = message({
  waitingCompletions: repeated(uint32(1)),
  waitingSignals: repeated(uint32(2)),
  waitingNamedSignals: repeated(string(3)),
});

/** A suspension of V7: a tree. */
export const SuspensionTreeMessage = message({ awaitingOn: submessage(4, () => FutureMessage) });

export const ErrorMessage = message({
  code: uint32(1),
  message: string(2),
  stacktrace: string(3),
  relatedCommandIndex: optional(uint32(4)),
  relatedCommandName: optional(string(5)),
  relatedCommandType: optional(uint32(6)),
  nextRetryDelayMs: optional(uint64(8)),
  /** 0 retry, 1 pause, 2 fail; accepted in every version, because deployments send it in every version. */
  behavior: enumeration(9),
});

export const EndMessage = message({});
export const CommandAckMessage = message({ commandIndex: uint32(1) });

export const ProposeRunCompletionMessage = message({
  resultCompletionId: uint32(1),
  /** The bytes themselves, without a value message around them. */
  value: oneof("result", bytes(14)),
  failure: oneofFailure("result", 15),
});

export const AwaitingOnMessage = message({
  awaitingOn: submessage(1, () => FutureMessage),
  executingSideEffects: bool(2),
});
export const RunCompletionAckMessage = message({ completionId: uint32(1) });

/** A run proposal with its failure as raw bytes. The completion below is built from it. */
export const RawProposalMessage = message({
  resultCompletionId: uint32(1),
  value: oneof("result", bytes(14)),
  failure: oneof("result", bytes(15)),
});
export const RawRunCompletionMessage = message({
  completionId: oneof("id", uint32(1)),
  failure: oneof("result", bytes(6)),
});
