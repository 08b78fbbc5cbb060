/** Drives the invocation of a new record at once in the process that accepts it, as an ingress request does. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Route } from "../../core/model/deployment.ts";
import { activeByAcceptor } from "../accept/accept.ts";
import { PendingAcceptance } from "../accept/pending-acceptance.ts";
import { drive } from "../drive/drive.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/claim.ts";
import { OwnAcceptance } from "../local/own-acceptance.ts";

/**
 * No caller waits for the acceptance of a record, so its write may wait longer. Each handler that ends within this time
 * saves two writes and a message.
 */
const JOINED_WITHIN_MS = 50;

/** True if records can be driven at once: the process owns its store, and the handler takes no key. */
export function drivesRecords({ settings }: Engine, { handler }: Route): boolean {
  return settings.acceptanceWaitMs !== undefined && (handler.type === "service" || handler.type === "shared");
}

/**
 * Resolves when the acceptance is durable; the drive goes on. The acceptance may be written together with the first
 * segment, so the caller must be sure that no invocation with this id exists.
 * @returns false if all slots are in use; nothing has happened then
 * @throws StoreError; whether the acceptance was written is unknown
 */
export async function acceptAndDrive(engine: Engine, acceptance: Acceptance, route: Route): Promise<boolean> {
  const { records } = engine.bulkheads;
  const lane = acceptance.target.service;
  if (!records.take(lane)) return false;
  const lease = nextLease(engine, engine.activeInvocations.newToken());
  const pending = new PendingAcceptance(engine, acceptance, lease, JOINED_WITHIN_MS);
  const active = activeByAcceptor(engine, acceptance, lease, new OwnAcceptance(route, pending));
  pending.durable.catch(() => active.lose());
  void drive(engine, active)
    .then(async (end) => {
      if (end === "ended" && pending.backstop !== undefined) await engine.queue.recall(await pending.backstop);
    })
    // After a failed drive, the backstop makes a worker drive the invocation. After a failed acceptance, `durable`
    // rejects.
    .catch(() => undefined)
    .finally(() => records.give(lane));
  await pending.durable;
  return true;
}
