/** Makes a result in the driver's memory the completion of a command, without an arrival in the table. */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { Result } from "../../core/model/failure.ts";
import { notificationFor } from "../store/arrival-record.ts";
import { type ActiveInvocation, takeInline } from "../local/active-invocation.ts";
import { completionArrival } from "../store/item-keys.ts";
import { versionOf } from "../store/load.ts";

/** @param result undefined for an output that does not exist yet */
export function completionOf(
  active: ActiveInvocation,
  completionId: number,
  result: Result | undefined,
  atMs: number,
): void {
  const { invocation } = active;
  const entry: NotificationEntry = notificationFor({ completionId }, result, invocation.journal, versionOf(invocation));
  const key = completionArrival(completionId);
  takeInline(active, { kind: "notification", atMs, consumption: { key, entry, inline: true } });
  active.results.set(key, { completionId, result });
}
