/** Segment 0 as an item: the acceptance, the acceptor's lease, and the attributes of the listing. */
import type { Acceptance, Deadlines, Source } from "../../core/invocation/acceptance.ts";
import type { InvocationId, Nonce, ScheduleId, SubscriptionId, Token } from "../../core/model/ids.ts";
import type { LimitKey } from "../../core/model/scope.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import {
  bytes,
  type Infer,
  message,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  uint53,
} from "../../core/model/proto3.ts";
import { ACCEPTANCE_SK, invocationPk, type KeyScheme, listingKeys, segmentKey } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "./record-envelope.ts";
import { StoredHeader, StoredTarget, targetFromStored } from "./stored-values.ts";
import type { StorePorts } from "./store-ports.ts";
import { targetAttributes } from "./target-attributes.ts";
import { reassemble } from "./large-record.ts";

/** The right to drive until a moment; a lease in the past gives no right. */
export interface Lease {
  readonly token: Token;
  readonly untilMs: number;
}

export const NO_LEASE: Lease = { token: "" as Token, untilMs: 0 };

/** A record stores the position of a value in one of these lists, so a new value goes to the end of a list. */
const SERVICE_TYPES = ["service", "object", "workflow"] as const;
const HANDLER_TYPES = ["service", "exclusive", "shared", "workflow"] as const;
const SOURCE_KINDS = ["ingress", "call", "send", "restart", "subscription", "schedule"] as const;

const StoredAcceptance = message({
  target: submessage(1, () => StoredTarget),
  input: bytes(2),
  headers: repeated(submessage(3, () => StoredHeader)),
  sourceKind: uint32(4),
  callerId: optional(string(5)),
  callerNonce: optional(string(6)),
  completionId: optional(uint32(7)),
  callerTarget: optional(string(8)),
  createdAtMs: uint53(9),
  idempotencyKey: optional(string(10)),
  traceparent: optional(string(11)),
  startAtMs: optional(uint53(12)),
  completionRetentionMs: uint53(13),
  journalRetentionMs: uint53(14),
  token: string(15),
  untilMs: uint53(16),
  serviceType: uint32(17),
  handlerType: uint32(18),
  createdBy: optional(string(19)),
  priority: optional(uint32(24)),
  startByMs: optional(uint53(25)),
  endByMs: optional(uint53(26)),
  endGraceMs: optional(uint53(27)),
  singletonKey: optional(string(28)),
  singletonPlace: optional(string(29)),
  replacesId: optional(string(30)),
  replacesGraceMs: optional(uint53(31)),
  commandIndex: optional(uint32(32)),
});
type StoredAcceptance = Infer<typeof StoredAcceptance>;

export function acceptanceItem(scheme: KeyScheme, acceptance: Acceptance, lease: Lease, expiresAtS: number): Item {
  const { id, nonce, target, createdAtMs, limitKey } = acceptance;
  return {
    ...segmentKey(invocationPk(scheme.keyPrefix, id), nonce, 0),
    ...listingKeys(scheme, id, createdAtMs),
    b: sealed(encode(StoredAcceptance, toStored(acceptance, lease), ENVELOPE_BYTES)),
    n: nonce,
    ...targetAttributes(target),
    ...(limitKey !== undefined && { limitKey }),
    expiresAtS,
    // The sweeper extends the item that names this invocation, and decodes no acceptance for that.
    ...(acceptance.singleton && { single: acceptance.singleton.place }),
  };
}

function toStored(acceptance: Acceptance, lease: Lease): StoredAcceptance {
  const { source, idempotencyKey, traceparent, startAtMs, createdBy, priority, singleton, replaces, commandIndex } =
    acceptance;
  return {
    target: acceptance.target,
    input: acceptance.input,
    headers: acceptance.headers,
    sourceKind: SOURCE_KINDS.indexOf(source.kind),
    serviceType: SERVICE_TYPES.indexOf(acceptance.serviceType),
    handlerType: HANDLER_TYPES.indexOf(acceptance.handlerType),
    createdAtMs: acceptance.createdAtMs,
    completionRetentionMs: acceptance.completionRetentionMs,
    journalRetentionMs: acceptance.journalRetentionMs,
    token: lease.token,
    untilMs: lease.untilMs,
    ...("callerId" in source && { callerId: source.callerId, callerTarget: source.callerTarget }),
    ...(source.kind === "restart" && { callerId: source.formerId }),
    ...(source.kind === "subscription" && { callerId: source.subscriptionId }),
    ...(source.kind === "schedule" && {
      callerId: source.scheduleId,
      callerTarget: source.schedule,
      callerNonce: source.run,
    }),
    ...(source.kind === "call" && { callerNonce: source.callerNonce, completionId: source.completionId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(startAtMs !== undefined && { startAtMs }),
    ...(createdBy !== undefined && { createdBy }),
    ...(priority !== undefined && { priority }),
    ...(commandIndex !== undefined && { commandIndex }),
    ...deadlinesIn(acceptance),
    ...(singleton && { singletonKey: singleton.key, singletonPlace: singleton.place }),
    ...(replaces && { replacesId: replaces.id }),
    ...(replaces?.graceMs !== undefined && { replacesGraceMs: replaces.graceMs }),
  };
}

type Singleton = Pick<Acceptance, "singleton" | "replaces">;

function singletonIn({
  singletonKey,
  singletonPlace,
  replacesId,
  replacesGraceMs: graceMs,
}: StoredAcceptance): Singleton {
  return {
    ...(singletonKey !== undefined && { singleton: { key: singletonKey, place: singletonPlace ?? "" } }),
    ...(replacesId !== undefined && {
      replaces: { id: replacesId as InvocationId, ...(graceMs !== undefined && { graceMs }) },
    }),
  };
}

/** Only the members that are present. */
function deadlinesIn({ startByMs, endByMs, endGraceMs }: Deadlines): Deadlines {
  return {
    ...(startByMs !== undefined && { startByMs }),
    ...(endByMs !== undefined && { endByMs }),
    ...(endGraceMs !== undefined && { endGraceMs }),
  };
}

/** @throws StoreError */
export function readAcceptance(id: InvocationId, item: Item): { acceptance: Acceptance; lease: Lease } {
  const stored = decode(StoredAcceptance, opened(item["b"], `the acceptance of ${id}`));
  const { idempotencyKey, traceparent, startAtMs, createdBy, priority, commandIndex, token, untilMs } = stored;
  const limitKey = limitKeyIn(item);
  const acceptance: Acceptance = {
    id,
    nonce: item["n"] as Nonce,
    target: targetFromStored(stored.target ?? { service: "", handler: "" }),
    serviceType: SERVICE_TYPES[stored.serviceType] ?? "service",
    handlerType: HANDLER_TYPES[stored.handlerType] ?? "service",
    input: stored.input,
    headers: stored.headers,
    source: sourceFrom(stored),
    createdAtMs: stored.createdAtMs,
    completionRetentionMs: stored.completionRetentionMs,
    journalRetentionMs: stored.journalRetentionMs,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(startAtMs !== undefined && { startAtMs }),
    ...(createdBy !== undefined && { createdBy }),
    ...(limitKey !== undefined && { limitKey }),
    ...(priority !== undefined && { priority }),
    ...(commandIndex !== undefined && { commandIndex }),
    ...deadlinesIn(stored),
    ...singletonIn(stored),
  };
  return { acceptance, lease: { token: token as Token, untilMs } };
}

/** The limit key of an acceptance, from its item. It is an attribute, so that lists read it without the record. */
export function limitKeyIn({ limitKey }: Item): LimitKey | undefined {
  return typeof limitKey === "string" ? (limitKey as LimitKey) : undefined;
}

function sourceFrom(stored: StoredAcceptance): Source {
  const kind = SOURCE_KINDS[stored.sourceKind];
  if (kind === "subscription") return { kind, subscriptionId: (stored.callerId ?? "") as SubscriptionId };
  const callerId = (stored.callerId ?? "") as InvocationId;
  const callerTarget = stored.callerTarget ?? "";
  if (kind === "schedule")
    return {
      kind,
      scheduleId: callerId as string as ScheduleId,
      schedule: callerTarget,
      run: stored.callerNonce ?? "",
    };
  if (kind === "restart") return { kind, formerId: callerId };
  if (kind === "send") return { kind, callerId, callerTarget };
  if (kind !== "call") return { kind: "ingress" };
  const callerNonce = (stored.callerNonce ?? "") as Nonce;
  return { kind, callerId, callerNonce, completionId: stored.completionId ?? 0, callerTarget };
}

/** @returns the stored item, whatever life it belongs to; undefined if there is none */
export async function existingAcceptance({ table, settings }: StorePorts, id: InvocationId): Promise<Item | undefined> {
  const item = await table.get({ pk: invocationPk(settings.keyPrefix, id), sk: ACCEPTANCE_SK });
  return item?.["n"] === undefined ? undefined : item;
}

/** Decodes the item. If a large input is stored in pieces, this costs another read. @throws StoreError */
export async function acceptanceIn(engine: StorePorts, id: InvocationId, item: Item): Promise<Acceptance> {
  const [readable] = await reassemble(engine, [item], item["n"] as Nonce);
  return readAcceptance(id, readable ?? item).acceptance;
}
