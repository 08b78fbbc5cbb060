/** Delivers a notification, a result or an order to an invocation: first the arrival, then the wake (I3). */
import { type CallOrigin, isMadeByCall } from "../../core/invocation/acceptance.ts";
import type { NotificationId } from "../../core/protocol/notifications.ts";
import type { Result } from "../../core/model/failure.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { type ArrivalContent, arrivalItem, notificationFor } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "./find-accepted.ts";
import { EARLY, completionArrival, segmentRange } from "../store/item-keys.ts";
import { RETENTION_ASSUMED_MS, earlyUntilS, keepBesideS, keepUntilS } from "../store/ttl.ts";
import { PIECE_MAX_BYTES, chunkForPut, recordBytes } from "../store/large-record.ts";
import type { Loaded } from "../store/load.ts";
import { actAttributes } from "../store/operator-act.ts";
import { acceptanceIn, existingAcceptance } from "../store/acceptance-record.ts";
import { isLaterLife } from "./later-life.ts";
import type { Item } from "../ports/table.ts";
import type { OperatorAct } from "../ports/submission.ts";
import { type Recipient, sendWake, wakeNow } from "./wake.ts";
import { knowsEveryAcceptance } from "../ports/store-ownership.ts";
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { versionOf } from "../store/fresh-arrivals.ts";

export interface Addressee extends Recipient {
  readonly nonce: Nonce;
  /** The expiry of the addressee's items, if the writer has read it. */
  readonly keptUntilS?: number;
}

export interface NewArrival {
  /** The unique part of the sort key. Of several arrivals under one key, only the first counts. */
  readonly key: string;
  readonly content: ArrivalContent;
  /** The moment of the arrival; by default now. */
  readonly atMs?: number;
  /** The act of the operator who sends the arrival. */
  readonly act?: OperatorAct;
}

/**
 * Writes the arrival, then sends the wake (I3). If the arrival existed already, its wake may be lost and is sent again. This
 * second wake is not sent to a completed invocation: it would redo its final effects, and two invocations that signal each
 * other would wake each other for ever.
 * @param wakeAfterMs the delay of the wake, for a sender that looks at the invocation itself first
 */
export async function deliverArrival(
  engine: Engine,
  to: Addressee,
  arrival: NewArrival,
  wakeAfterMs = 0,
): Promise<void> {
  if (!(await writeArrival(engine, to, arrival)) && !(await isOpen(engine, to))) return;
  if (wakeAfterMs === 0) await wakeNow(engine, to);
  else await sendWake(engine, to, wakeAfterMs);
}

/** Writes an arrival without a wake. @returns false if the key has an arrival already */
export async function writeArrival(
  engine: Engine,
  to: Addressee,
  { key, content, act, atMs = engine.clock.nowMs() }: NewArrival,
): Promise<boolean> {
  const expiresAtS =
    to.keptUntilS ?? keepUntilS(engine.settings, { completionRetentionMs: RETENTION_ASSUMED_MS }, engine.clock.nowMs());
  const item = arrivalItem(engine.settings.keyPrefix, { ...to, key }, content, atMs, expiresAtS);
  // The pieces of a large record are written before the record. If the arrival exists already, this read saves those writes.
  if (recordBytes(item) > PIECE_MAX_BYTES && (await engine.table.get({ pk: item.pk, sk: item.sk })) !== undefined)
    return false;
  const fit = await chunkForPut(engine, { ...item, ...actAttributes(act) }, to.nonce);
  return (await engine.table.put(fit, { kind: "absent" })).written;
}

/** Reads only the last segment, because a hostile sender may repeat an arrival to a large invocation as often as it likes. */
async function isOpen(engine: Engine, { id, nonce }: Addressee): Promise<boolean> {
  const existing = await existingAcceptance(engine, id);
  if (existing?.["n"] !== nonce || existing["end"] === true) return false;
  const { items } = await engine.table.query(existing.pk, { ...segmentRange(nonce), reverse: true, limit: 1 });
  return items[0]?.["end"] !== true;
}

/** Delivers the result of a call or an attach to the command that waits for it. */
export async function deliverResult(
  engine: Engine,
  to: Addressee,
  completionId: number,
  result: Result | undefined,
): Promise<void> {
  const content: ArrivalContent = { kind: "notification", id: { completionId }, result };
  await deliverArrival(engine, to, { key: completionArrival(completionId), content });
}

/**
 * @param redoOfMs in a redo, the moment when the segment with the command was written: a life that began later gets no
 *   signal; undefined if this is no redo
 */
export async function deliverSignal(
  engine: Engine,
  id: InvocationId,
  key: string,
  signal: NotificationId,
  result: Result | undefined,
  redoOfMs?: number,
): Promise<void> {
  const content: ArrivalContent = { kind: "notification", id: signal, result };
  const existing = await findAccepted(engine, id, () => existingAcceptance(engine, id));
  if (existing === undefined) return await leaveEarly(engine, id, { key, content });
  if (redoOfMs !== undefined && (await isLaterLife(engine, id, existing, key, redoOfMs))) return;
  await deliverArrival(engine, addresseeIn(id, existing), { key, content });
}

/**
 * Writes an early arrival. While the store is throttled, the put of an acceptance may take long, and a reader cannot tell such
 * an acceptance from one that never existed or has expired. The driver of the invocation reads early arrivals after each park
 * (I4). If the acceptance exists after this write, its driver may have read the arrivals before the write. Then the arrival is
 * also delivered in the ordinary way.
 */
async function leaveEarly(engine: Engine, id: InvocationId, arrival: NewArrival): Promise<void> {
  const { clock, settings } = engine;
  if (knowsEveryAcceptance(settings)) return;
  await writeArrival(engine, { id, nonce: EARLY, keptUntilS: earlyUntilS(clock.nowMs()) }, arrival);
  const to = await currentLife(engine, id);
  if (to !== undefined) await deliverArrival(engine, to, arrival);
}

/** The current life of an id; undefined if it has none. */
export async function currentLife(engine: Engine, id: InvocationId): Promise<Addressee | undefined> {
  const existing = await existingAcceptance(engine, id);
  return existing && addresseeIn(id, existing);
}

/** The addressee for the loaded life of an open invocation. Arrivals for this life do not reach a later one. */
export function openLifeOf(engine: Engine, { invocation, leaseRecord }: Loaded): Addressee {
  const { id, nonce, target } = invocation.acceptance;
  const nowMs = engine.clock.nowMs();
  const keptUntilS = keepUntilS(engine.settings, invocation.acceptance, nowMs, leaseRecord?.keepUntilS);
  return { id, nonce, target, keptUntilS };
}

function addresseeIn(id: InvocationId, existing: Item): Addressee {
  const { n, expiresAtS, service } = existing as Partial<{ n: Nonce; expiresAtS: number; service: string }>;
  return {
    id,
    nonce: n!,
    ...(service !== undefined && { target: { service } }),
    ...(expiresAtS !== undefined && { keptUntilS: keepBesideS(expiresAtS) }),
  };
}

/**
 * Orders the kill of an invocation. A driver or a worker that reads the order ends the invocation
 * (docs/design.md#cancel-kill-and-pause).
 */
export async function orderKill(engine: Engine, to: Addressee, act?: OperatorAct): Promise<void> {
  await deliverArrival(engine, to, { key: "kill", content: { kind: "kill" }, ...(act && { act }) });
}

/**
 * Orders the kill of an invocation, if this call created it. The acceptance is durable, or this process drives the call and
 * the write of the acceptance is under way. If no acceptance exists after that write, it was purged or has expired.
 */
export async function orderKillOfCall(
  engine: Engine,
  { childId, ...call }: CallOrigin & { readonly childId: InvocationId },
): Promise<void> {
  const underWay = engine.activeInvocations.find(childId)?.ownAcceptance?.durable;
  if (underWay !== undefined) await underWay.catch(() => undefined);
  const existing = await existingAcceptance(engine, childId);
  if (existing === undefined || !isMadeByCall(await acceptanceIn(engine, childId, existing), call)) return;
  await orderKill(engine, addresseeIn(childId, existing));
}

/**
 * Completes a command with a result of any size. Without room in the inbox, the result becomes an arrival, which the driver
 * reads as soon as there is room. A recovery has no use for the result: the next driver performs the effect again.
 */
export async function complete(
  engine: Engine,
  by: Pick<ActiveInvocation, "invocation" | "inbox">,
  completionId: number,
  result: Result | undefined,
): Promise<void> {
  if (by.inbox.hasRoomFor(result)) return completionOf(by, completionId, result, engine.clock.nowMs());
  if (by.inbox.isOfRecovery) return;
  const { id, nonce, target } = by.invocation.acceptance;
  await deliverResult(engine, { id, nonce, target }, completionId, result);
}

/** @param result the result, which must be small; undefined for an output that does not exist yet */
export function completionOf(
  { invocation, inbox }: Pick<ActiveInvocation, "invocation" | "inbox">,
  completionId: number,
  result: Result | undefined,
  atMs: number,
): void {
  const notification = notificationFor({ completionId }, result, invocation.journal, versionOf(invocation));
  const entry: NotificationEntry = { ...notification, receivedAtMs: atMs };
  const key = completionArrival(completionId);
  const arrival = { kind: "notification", atMs, consumption: { key, entry, inline: true } } as const;
  inbox.addResult(arrival, { completionId, result }, invocation.consumed.has(key));
}
