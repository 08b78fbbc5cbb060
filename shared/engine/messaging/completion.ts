/** Completes a command with a result that the driver has in memory; the table gets no arrival. */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import { notificationFor } from "../store/arrival-record.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { completionArrival } from "../store/item-keys.ts";
import { versionOf } from "../store/load.ts";

/** @param result undefined for an output that does not exist yet */
export function completionOf(
  { invocation, inbox }: Pick<ActiveInvocation, "invocation" | "inbox">,
  completionId: number,
  result: Result | undefined,
  atMs: number,
): void {
  const entry: NotificationEntry = notificationFor({ completionId }, result, invocation.journal, versionOf(invocation));
  const key = completionArrival(completionId);
  const arrival = { kind: "notification", atMs, consumption: { key, entry, inline: true } } as const;
  inbox.addResult(arrival, { completionId, result }, invocation.consumed.has(key));
}
