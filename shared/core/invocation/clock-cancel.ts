/** A cancel that follows from the clock or from an order: no item contains it, so the segment that takes it does. */
import { CANCEL_SIGNAL } from "../protocol/command-parts.ts";
import { signalNotification } from "../protocol/notifications.ts";
import { PROTOCOL_VERSION_MAX } from "../protocol/version.ts";
import type { NotificationEntry } from "./entry.ts";
import type { Arrival } from "./event.ts";

export type NotificationArrival = Extract<Arrival, { kind: "notification" }>;

/** @param key the key under which a segment lists it; no arrival has the key @param sinceMs its place in the order of arrivals */
export function clockCancel(key: string, sinceMs: number, receivedAtMs: number): NotificationArrival {
  const id = { index: CANCEL_SIGNAL };
  // A signal without content has the same bytes in all versions.
  const frame = signalNotification(id, undefined, PROTOCOL_VERSION_MAX);
  const entry: NotificationEntry = { kind: "notification", type: "Signal", id, failed: false, frame, receivedAtMs };
  return { kind: "notification", atMs: sinceMs, consumption: { key, entry, inline: true } };
}
