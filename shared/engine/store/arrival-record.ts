/** Converts arrivals to items and back. The stored form of a notification does not depend on a protocol version. */
import type { Arrival, Move } from "../../core/invocation/event.ts";
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import { isCompleted } from "../../core/protocol/commands.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import type { Result } from "../../core/model/failure.ts";
import type { DeploymentId, InvocationId, Nonce } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import {
  bool,
  message,
  oneof,
  optional,
  string,
  submessage,
  uint32,
  uint53,
  type Infer,
} from "../../core/model/proto3.ts";
import { completionFrame, type NotificationId, signalNotification } from "../../core/protocol/notifications.ts";
import type { ProtocolVersion } from "../../core/protocol/version.ts";
import { PIECE_MAX_BYTES } from "./large-record.ts";
import { arrivalKey, invocationPk, uniquePart } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { ENVELOPE_BYTES, isInPieces, opened, sealed } from "./record-envelope.ts";
import { resultFromStored, resultToStored, StoredResult } from "./stored-values.ts";

const StoredArrival = message({
  atMs: uint53(1),
  completionId: oneof("id", uint32(2)),
  signalIndex: oneof("id", uint32(3)),
  signalName: oneof("id", string(4)),
  kill: oneof("id", bool(5)),
  result: submessage(6, () => StoredResult),
  pause: oneof("id", bool(7)),
  resume: oneof("id", bool(8)),
  /** For an order to resume: the deployment on which the invocation continues. */
  deploymentId: optional(string(9)),
  protocolVersion: optional(uint32(10)),
  /** The invocation that replaces this one. */
  replacedBy: oneof("id", string(11)),
  graceMs: optional(uint53(12)),
});
type StoredArrival = Infer<typeof StoredArrival>;

export type ArrivalContent =
  | { readonly kind: "notification"; readonly id: NotificationId; readonly result: Result | undefined }
  | { readonly kind: "kill" }
  | { readonly kind: "pause" }
  | { readonly kind: "replaced"; readonly by: string; readonly graceMs?: number }
  | { readonly kind: "resume"; readonly move?: Move };

export interface ArrivalAddress {
  readonly id: InvocationId;
  readonly nonce: Nonce;
  /** The unique part of the sort key. */
  readonly key: string;
}

export function arrivalItem(
  prefix: string,
  to: ArrivalAddress,
  content: ArrivalContent,
  atMs: number,
  expiresAtS: number,
): Item {
  const stored: StoredArrival = {
    atMs,
    ...idToStored(content),
    ...(content.kind === "notification" && { result: resultToStored(content.result) }),
  };
  const b = sealed(encode(StoredArrival, stored, ENVELOPE_BYTES));
  const isLargeFailure =
    content.kind === "notification" && content.result?.kind === "failure" && b.length > PIECE_MAX_BYTES;
  return {
    ...arrivalKey(invocationPk(prefix, to.id), to.nonce, to.key),
    b,
    expiresAtS,
    // A reader that leaves the pieces of the record unread finds the kind of the result in this attribute (`withoutResult`).
    ...(isLargeFailure && { failed: true }),
  };
}

function idToStored(content: ArrivalContent): Partial<StoredArrival> {
  if (content.kind === "kill") return { kill: true };
  if (content.kind === "pause") return { pause: true };
  if (content.kind === "replaced")
    return { replacedBy: content.by, ...(content.graceMs !== undefined && { graceMs: content.graceMs }) };
  if (content.kind === "resume") return { resume: true, ...content.move };
  const { id } = content;
  if ("completionId" in id) return { completionId: id.completionId };
  return "index" in id ? { signalIndex: id.index } : { signalName: id.name };
}

/**
 * @returns undefined for an arrival of a former life (I12)
 * @throws StoreError if the stored bytes are damaged
 */
export function readArrival(item: Item, nonce: Nonce, journal: Journal, version: ProtocolVersion): Arrival | undefined {
  const key = uniquePart(item.sk, "arr", nonce);
  if (key === undefined) return undefined;
  const stored = decode(StoredArrival, opened(item["b"], `arrival ${item.sk}`));
  const { atMs, deploymentId, protocolVersion } = stored;
  if (stored.kill === true) return { kind: "kill", atMs };
  if (stored.pause === true) return { kind: "pause", atMs, key };
  const { replacedBy: by, graceMs } = stored;
  if (by !== undefined) return { kind: "replaced", atMs, by, ...(graceMs !== undefined && { graceMs }) };
  if (stored.resume === true) {
    if (deploymentId === undefined) return { kind: "resume", atMs, key };
    const spoken = protocolVersion !== undefined && { protocolVersion };
    return { kind: "resume", atMs, key, move: { deploymentId: deploymentId as DeploymentId, ...spoken } };
  }
  const notification = notificationFor(idFromStored(stored), resultFromStored(stored.result), journal, version);
  // A record without its result (`withoutResult`) has no moment either.
  const entry = atMs === 0 ? notification : { ...notification, receivedAtMs: atMs };
  return { kind: "notification", atMs, consumption: { key, entry, inline: false } };
}

const LEFT_OUT: Result = { kind: "failure", failure: { code: 500, message: "" } };

/**
 * Replaces the result of a listed arrival by an empty one if the record is in pieces. The reader only asks which commands
 * have a result, and the key of the item shows that. The record of a named signal stays, because only that record contains
 * the name.
 */
export function withoutResult(item: Item, nonce: Nonce): Item {
  if (!isInPieces(item["b"])) return item;
  const [kind, ...rest] = uniquePart(item.sk, "arr", nonce) ?? "";
  const number = Number(rest.join(""));
  const id = kind === "c" ? { completionId: number } : kind === "s" ? { signalIndex: number } : undefined;
  if (id === undefined || !Number.isSafeInteger(number)) return item;
  const result = item["failed"] === true ? { result: resultToStored(LEFT_OUT) } : {};
  return { ...item, b: sealed(encode(StoredArrival, { atMs: 0, ...id, ...result }, ENVELOPE_BYTES)) };
}

function idFromStored({ completionId, signalIndex, signalName }: StoredArrival): NotificationId {
  if (completionId !== undefined) return { completionId };
  return signalName === undefined ? { index: signalIndex ?? 0 } : { name: signalName };
}

/** Builds the entry of a notification. The command with the completion id determines the type of the completion. */
export function notificationFor(
  id: NotificationId,
  result: Result | undefined,
  journal: Journal,
  version: ProtocolVersion,
): NotificationEntry {
  const failed = result?.kind === "failure";
  if (!("completionId" in id)) {
    return { kind: "notification", type: "Signal", id, failed, frame: signalNotification(id, result, version) };
  }
  const { completionId } = id;
  const command = journal.completable.get(completionId)?.entry.type;
  const type = command !== undefined && isCompleted(command) ? command : "Call";
  return { kind: "notification", type, id, failed, frame: completionFrame(type, completionId, result, version) };
}
