/** The small messages that several stored records contain: targets, headers, results and failures. */
import type { AttemptFailure, Mismatch } from "../../core/model/attempt-failure.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Failure, Result } from "../../core/model/failure.ts";
import {
  bytes,
  message,
  oneof,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  uint53,
  type Infer,
} from "../../core/model/proto3.ts";
import type { Scope } from "../../core/model/scope.ts";
import type { Target } from "../../core/model/target.ts";

export const StoredHeader = message({ key: string(1), value: string(2) });

export const StoredTarget = message({
  service: string(1),
  handler: string(2),
  key: optional(string(3)),
  scope: optional(string(4)),
});

const StoredFailure = message({
  code: uint32(1),
  message: string(2),
  metadata: repeated(submessage(3, () => StoredHeader)),
  stacktrace: optional(string(4)),
});

/** A result; without any field it is void. */
export const StoredResult = message({
  value: oneof("result", bytes(1)),
  failure: oneof(
    "result",
    submessage(2, () => StoredFailure),
  ),
});
export type StoredResult = Infer<typeof StoredResult>;

const StoredCommandName = message({ type: optional(string(1)), name: optional(string(2)) });

const StoredMismatch = message({
  index: uint32(1),
  deploymentId: string(2),
  recorded: submessage(3, () => StoredCommandName),
  offered: submessage(4, () => StoredCommandName),
  fieldName: optional(string(5)),
  fieldRecorded: string(6),
  fieldOffered: string(7),
  entry: optional(uint32(8)),
});

export const StoredRepeats = message({ times: uint32(1), attempt: uint32(2), startedAtMs: uint53(3), atMs: uint53(4) });

export const StoredAttemptFailure = message({
  errorCode: string(1),
  code: uint32(2),
  message: string(3),
  stacktrace: optional(string(4)),
  atMs: uint53(5),
  relatedIndex: optional(uint32(6)),
  relatedName: optional(string(7)),
  relatedType: optional(string(8)),
  mismatch: submessage(9, () => StoredMismatch),
  deploymentId: optional(string(10)),
  startedAtMs: optional(uint53(11)),
  attempt: optional(uint32(12)),
  /** Absent for the first of its kind. */
  times: optional(uint32(13)),
  before: submessage(14, () => StoredRepeats),
});
export type StoredAttemptFailure = Infer<typeof StoredAttemptFailure>;

export function resultToStored(result: Result | undefined): StoredResult {
  if (result === undefined) return {};
  if (result.kind === "success") return { value: result.value };
  const { code, message: text, metadata, stacktrace } = result.failure;
  return {
    failure: { code, message: text, metadata: metadata ?? [], ...(stacktrace !== undefined && { stacktrace }) },
  };
}

export function resultFromStored(stored: StoredResult | undefined): Result | undefined {
  if (stored?.value !== undefined) return { kind: "success", value: stored.value };
  if (stored?.failure === undefined) return undefined;
  const { code, message: text, metadata, stacktrace } = stored.failure;
  const failure: Failure = {
    code,
    message: text,
    ...(metadata.length > 0 && { metadata }),
    ...(stacktrace !== undefined && { stacktrace }),
  };
  return { kind: "failure", failure };
}

export function attemptFailureToStored(failure: AttemptFailure): StoredAttemptFailure {
  const { errorCode, code, message: text, stacktrace, atMs, relatedCommand } = failure;
  return {
    errorCode,
    code,
    message: text,
    atMs,
    ...(stacktrace !== undefined && { stacktrace }),
    ...(relatedCommand?.index !== undefined && { relatedIndex: relatedCommand.index }),
    ...(relatedCommand?.name !== undefined && { relatedName: relatedCommand.name }),
    ...(relatedCommand?.type !== undefined && { relatedType: relatedCommand.type }),
    ...(failure.mismatch && { mismatch: mismatchToStored(failure.mismatch) }),
    ...(failure.deploymentId !== undefined && { deploymentId: failure.deploymentId }),
    ...(failure.startedAtMs !== undefined && { startedAtMs: failure.startedAtMs }),
    ...(failure.attempt !== undefined && { attempt: failure.attempt }),
    ...(failure.times !== undefined && failure.times > 1 && { times: failure.times }),
    ...(failure.before && { before: failure.before }),
  };
}

function mismatchToStored({
  index,
  entry,
  deploymentId,
  recorded,
  offered,
  field,
}: Mismatch): Infer<typeof StoredMismatch> {
  return {
    index,
    deploymentId,
    offered,
    fieldRecorded: field?.recorded ?? "",
    fieldOffered: field?.offered ?? "",
    ...(recorded && { recorded }),
    ...(field && { fieldName: field.name }),
    ...(entry !== undefined && { entry }),
  };
}

function mismatchFromStored(stored: Infer<typeof StoredMismatch>): Mismatch {
  const { index, entry, deploymentId, recorded, offered, fieldName, fieldRecorded, fieldOffered } = stored;
  return {
    index,
    deploymentId,
    offered: offered ?? {},
    ...(entry !== undefined && { entry }),
    ...(recorded && { recorded }),
    ...(fieldName !== undefined && { field: { name: fieldName, recorded: fieldRecorded, offered: fieldOffered } }),
  };
}

export function attemptFailureFromStored(stored: StoredAttemptFailure): AttemptFailure {
  const { relatedIndex, relatedName, relatedType, stacktrace, errorCode, code, message: text, atMs } = stored;
  const related = {
    ...(relatedIndex !== undefined && { index: relatedIndex }),
    ...(relatedName !== undefined && { name: relatedName }),
    ...(relatedType !== undefined && { type: relatedType }),
  };
  const failure: AttemptFailure = { errorCode, code, message: text, atMs };
  return {
    ...failure,
    ...(stacktrace !== undefined && { stacktrace }),
    ...(Object.keys(related).length > 0 && { relatedCommand: related }),
    ...(stored.mismatch && { mismatch: mismatchFromStored(stored.mismatch) }),
    ...(stored.deploymentId !== undefined && { deploymentId: stored.deploymentId as DeploymentId }),
    ...(stored.startedAtMs !== undefined && { startedAtMs: stored.startedAtMs }),
    ...(stored.attempt !== undefined && { attempt: stored.attempt, times: stored.times ?? 1 }),
    ...(stored.before && { before: stored.before }),
  };
}

export function targetFromStored({ service, handler, key, scope }: Infer<typeof StoredTarget>): Target {
  return { service, handler, ...(key !== undefined && { key }), ...(scope !== undefined && { scope: scope as Scope }) };
}
