/** Delivers a notification to an invocation: first the arrival, then the wake (I3). */
import { type CallOrigin, isMadeByCall } from "../../core/invocation/acceptance.ts";
import type { NotificationId } from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { type ArrivalContent, arrivalItem } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "./find-accepted.ts";
import { completionArrival, EARLY } from "../store/item-keys.ts";
import { earlyUntilS, keepBesideS, keepUntilS, RETENTION_ASSUMED_MS } from "../store/ttl.ts";
import { chunkForPut } from "../store/large-record.ts";
import { load, type Loaded } from "../store/load.ts";
import { actAttributes } from "../store/operator-act.ts";
import { acceptanceIn, existingAcceptance } from "../store/existing-acceptance.ts";
import { isLaterLife } from "./later-life.ts";
import type { Item } from "../ports/table.ts";
import type { OperatorAct } from "../ports/submission.ts";
import { type Recipient, sendWake, wakeNow } from "./wake.ts";

export interface Addressee extends Recipient {
  readonly nonce: Nonce;
  /** Until when the items of the addressee live, if the writer has read it. */
  readonly keptUntilS?: number;
}

export interface NewArrival {
  /** The unique part of the sort key: of several arrivals under one key only the first counts. */
  readonly key: string;
  readonly content: ArrivalContent;
  /** Now by default. */
  readonly atMs?: number;
  /** The act of the operator who sends the arrival. */
  readonly act?: OperatorAct;
}

/**
 * Writes the arrival, then sends the wake (I3). Sends the wake of an arrival that existed already again, because its wake may
 * be lost. A completed addressee gets none: its worker would redo the final effects, and two invocations that signal each other
 * would be woken for ever.
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
  const fit = await chunkForPut(engine, { ...item, ...actAttributes(act) }, to.nonce);
  return (await engine.table.put(fit, { kind: "absent" })).written;
}

async function isOpen(engine: Engine, { id, nonce }: Addressee): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined) return false;
  const { acceptance, phase } = loaded.invocation;
  return acceptance.nonce === nonce && phase.status !== "completed";
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

/** @param redoOfMs in a redo, when the segment with the command was written: a life that began later gets no signal */
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
 * While a store is throttled, an acceptance may be under way for long, and a reader cannot distinguish it from an acceptance
 * that never existed or has expired. So the arrival waits in the table: the driver of the invocation reads arrivals after each
 * park (I4). If the acceptance exists after this write, its driver may have read the arrivals before the write: the arrival is
 * then delivered in the ordinary way as well.
 */
async function leaveEarly(engine: Engine, id: InvocationId, arrival: NewArrival): Promise<void> {
  const { clock, settings } = engine;
  // A process that owns its store alone has every acceptance under way in its memory.
  if (settings.exclusiveOwnerPrefix !== undefined) return;
  await writeArrival(engine, { id, nonce: EARLY, keptUntilS: earlyUntilS(clock.nowMs()) }, arrival);
  const to = await currentLife(engine, id);
  if (to !== undefined) await deliverArrival(engine, to, arrival);
}

/** The current life of an id; undefined if it has none. */
export async function currentLife(engine: Engine, id: InvocationId): Promise<Addressee | undefined> {
  const existing = await existingAcceptance(engine, id);
  return existing && addresseeIn(id, existing);
}

/** The loaded life of an open invocation, and no later one. */
export function openLifeOf(engine: Engine, { invocation, leaseRecord }: Loaded): Addressee {
  const { id, nonce, target, completionRetentionMs } = invocation.acceptance;
  const nowMs = engine.clock.nowMs();
  const keptUntilS = keepUntilS(engine.settings, { completionRetentionMs }, nowMs, leaseRecord?.keepUntilS);
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
 * Every driver that reads the order ends the invocation; a worker does so as soon as it reads the order
 * (docs/design.md#cancel-kill-and-pause).
 */
export async function orderKill(engine: Engine, to: Addressee, act?: OperatorAct): Promise<void> {
  await deliverArrival(engine, to, { key: "kill", content: { kind: "kill" }, ...(act && { act }) });
}

/**
 * Kills an invocation that the call itself has made. Its acceptance was durable before the caller went on (I2), so an
 * acceptance that is absent now is not under way.
 */
export async function orderKillOfCall(
  engine: Engine,
  { childId, ...call }: CallOrigin & { readonly childId: InvocationId },
): Promise<void> {
  const existing = await existingAcceptance(engine, childId);
  if (existing === undefined || !isMadeByCall(await acceptanceIn(engine, childId, existing), call)) return;
  await orderKill(engine, addresseeIn(childId, existing));
}
