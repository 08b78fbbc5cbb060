/** Bringing a notification to an invocation: first the arrival, then the wake (I3). */
import { type CallOrigin, isMadeByCall } from "../../core/invocation/acceptance.ts";
import type { NotificationId } from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { type ArrivalContent, arrivalItem } from "../ledger/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { findAccepted } from "../ledger/find-accepted.ts";
import { completionArrival, EARLY } from "../ledger/item-keys.ts";
import { earlyUntilS, keepBesideS, keepUntilS, RETENTION_ASSUMED_MS } from "../ledger/keep.ts";
import { fitted } from "../ledger/large-record.ts";
import { load } from "../ledger/load.ts";
import { acceptanceIn, standingAcceptance } from "../ledger/standing-acceptance.ts";
import { isLaterLife } from "./later-life.ts";
import type { Item } from "../ports/table.ts";
import { type Recipient, wakeNow } from "./wake.ts";

export interface Addressee extends Recipient {
  readonly nonce: Nonce;
  /** Until when its items live, as far as whoever writes to it knows. */
  readonly keptUntilS?: number;
}

/** Writes an arrival, once per key: only the first counts. @returns false where one stands already */
export async function writeArrival(
  engine: Engine,
  to: Addressee,
  key: string,
  content: ArrivalContent,
): Promise<boolean> {
  const nowMs = engine.clock.nowMs();
  const expiresAtS =
    to.keptUntilS ?? keepUntilS(engine.settings, { completionRetentionMs: RETENTION_ASSUMED_MS }, nowMs);
  const item = arrivalItem(engine.settings.keyPrefix, { ...to, key }, content, nowMs, expiresAtS);
  return (await engine.table.put(await fitted(engine, item, to.nonce), { kind: "absent" })).written;
}

/**
 * What stands already may have lost its wake, so the wake is sent again; but not to one that has ended: its own final
 * effects would be performed again, and two that tell each other of their ends would never rest.
 */
async function bring(engine: Engine, to: Addressee, key: string, content: ArrivalContent): Promise<void> {
  if ((await writeArrival(engine, to, key, content)) || (await isOpen(engine, to))) await wakeNow(engine, to);
}

async function isOpen(engine: Engine, { id, nonce }: Addressee): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined) return false;
  const { acceptance, standing } = loaded.invocation;
  return acceptance.nonce === nonce && standing.status !== "completed";
}

/** The result of a call or an attach comes home to the command that waits for it. */
export async function deliverResult(
  engine: Engine,
  to: Addressee,
  completionId: number,
  result: Result | undefined,
): Promise<void> {
  await bring(engine, to, completionArrival(completionId), { kind: "notification", id: { completionId }, result });
}

/** @param redoOfMs in a redo, when the segment was written that asks for it: a life that began later is left alone */
export async function deliverSignal(
  engine: Engine,
  id: InvocationId,
  key: string,
  signal: NotificationId,
  result: Result | undefined,
  redoOfMs?: number,
): Promise<void> {
  const content: ArrivalContent = { kind: "notification", id: signal, result };
  const standing = await findAccepted(engine, id, () => standingAcceptance(engine, id));
  if (standing === undefined) return await leaveEarly(engine, id, key, content);
  if (redoOfMs !== undefined && (await isLaterLife(engine, id, standing, key, redoOfMs))) return;
  await bring(engine, addresseeIn(id, standing), key, content);
}

/**
 * An acceptance may be on its way for as long as a store is throttled, and nobody can tell it from one that never was or is
 * gone. The arrival waits for it in the table: its driver reads arrivals whenever it has parked (I4). Where the acceptance
 * has become durable meanwhile, that may have been before this write, so the arrival is brought as any other.
 */
async function leaveEarly(engine: Engine, id: InvocationId, key: string, content: ArrivalContent): Promise<void> {
  const { clock, settings } = engine;
  // In a process that owns the store alone, all that is on its way is known.
  if (settings.soleOwner !== undefined) return;
  await writeArrival(engine, { id, nonce: EARLY, keptUntilS: earlyUntilS(clock.nowMs()) }, key, content);
  const to = await currentLife(engine, id);
  if (to !== undefined) await bring(engine, to, key, content);
}

/** The life that an id has now; undefined where there is none. */
export async function currentLife(engine: Engine, id: InvocationId): Promise<Addressee | undefined> {
  const standing = await standingAcceptance(engine, id);
  return standing && addresseeIn(id, standing);
}

function addresseeIn(id: InvocationId, standing: Item): Addressee {
  const { n, expiresAtS, service } = standing as Partial<{ n: Nonce; expiresAtS: number; service: string }>;
  return {
    id,
    nonce: n!,
    ...(service !== undefined && { target: { service } }),
    ...(expiresAtS !== undefined && { keptUntilS: keepBesideS(expiresAtS) }),
  };
}

/** Every driver that reads the order ends the invocation; a worker that reads it does so at once (design §3). */
export async function orderKill(engine: Engine, to: Addressee): Promise<void> {
  await bring(engine, to, "kill", { kind: "kill" });
}

/** What a call has made was durable before the caller went on (I2): nothing is waited for where it does not stand. */
export async function orderKillOfCall(
  engine: Engine,
  { childId, ...call }: CallOrigin & { readonly childId: InvocationId },
): Promise<void> {
  const standing = await standingAcceptance(engine, childId);
  if (standing === undefined || !isMadeByCall(await acceptanceIn(engine, childId, standing), call)) return;
  await orderKill(engine, addresseeIn(childId, standing));
}
