/** The nested messages: values, failures, headers, targets and the tree of an await. */
import {
  bytes,
  enumeration,
  message,
  oneof,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  type Infer,
  type MessageType,
} from "../model/proto3.ts";
import type { Failure } from "../model/failure.ts";
import type { ProtocolVersion } from "./version.ts";

export const ValueMessage = message({ content: bytes(1) });
export const VoidMessage = message({});
export const HeaderMessage = message({ key: string(1), value: string(2) });
export const StateEntryMessage = message({ key: bytes(1), value: bytes(2) });
export const StateKeysMessage = message({ keys: repeated(bytes(1)) });

export const FailureMessage = message({
  code: uint32(1),
  message: string(2),
  /** V6 and later. */
  metadata: repeated(submessage(3, () => FailureMetadataMessage)),
});
export const FailureMetadataMessage = message({ key: string(1), value: string(2) });

export const WorkflowTargetMessage = message({
  workflowName: string(1),
  workflowKey: string(2),
  /** V7. */
  scope: optional(string(3)),
});

export const IdempotentTargetMessage = message({
  serviceName: string(1),
  serviceKey: optional(string(2)),
  handlerName: string(3),
  idempotencyKey: string(4),
  /** V7. */
  scope: optional(string(5)),
});

/** A node of the await tree of a V7 suspension. */
export interface FutureNode {
  readonly completions: readonly number[];
  readonly signals: readonly number[];
  readonly namedSignals: readonly string[];
  readonly nested: readonly FutureNode[];
  /** 0 unknown, 1 first completed, 2 all completed, 3 first succeeded or all failed, 4 all succeeded or first failed. */
  readonly combinator: number;
}

export const FutureMessage: MessageType<FutureNode> = message({
  completions: repeated(uint32(1)),
  signals: repeated(uint32(2)),
  namedSignals: repeated(string(3)),
  nested: repeated(submessage(4, () => FutureMessage)),
  combinator: enumeration(5),
});

export const value = (number: number) => submessage(number, () => ValueMessage);
export const failure = (number: number) => submessage(number, () => FailureMessage);
export const oneofVoid = (group: string, number: number) =>
  oneof(
    group,
    submessage(number, () => VoidMessage),
  );
export const oneofValue = (group: string, number: number) => oneof(group, value(number));
export const oneofFailure = (group: string, number: number) => oneof(group, failure(number));

/** A failure in the form of the given version: V5 deployments refuse an attempt whose journal has failure metadata. */
export function failureToWire(from: Failure, version: ProtocolVersion): Infer<typeof FailureMessage> {
  return { code: from.code, message: from.message, metadata: version >= 6 ? (from.metadata ?? []) : [] };
}

export function failureFromWire(wire: Infer<typeof FailureMessage>): Failure {
  const { code, message: text, metadata } = wire;
  return metadata.length === 0 ? { code, message: text } : { code, message: text, metadata };
}
