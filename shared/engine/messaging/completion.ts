/**
 * Completes a command with a result that is in memory. The result goes through the table only if the inbox has no room for
 * it.
 */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import { deliverResult } from "./deliver.ts";
import type { Engine } from "../engine.ts";
import { notificationFor } from "../store/arrival-record.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { completionArrival } from "../store/item-keys.ts";
import { versionOf } from "../store/fresh-arrivals.ts";

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
