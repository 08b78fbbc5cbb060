/** The frames that an exchange carries to the handler beyond the journal of its request. */
import type { Entry } from "../../core/invocation/entry.ts";
import type { Consumption } from "../../core/invocation/segment.ts";
import type { Received } from "../../core/protocol/received.ts";
import { runCompletionAck } from "../../core/protocol/notifications.ts";
import { sleepEntry } from "../store/entries.ts";
import { completionArrival } from "../store/item-keys.ts";

/** The completion of a sleep that the clock has ended. @param atMs now */
export function overSleep(completionId: number, atMs: number): Consumption {
  return { key: completionArrival(completionId), entry: sleepEntry(completionId, atMs), inline: true };
}

/**
 * The notifications of a segment, in its order.
 * @param acknowledged the runs whose handlers keep the result, so that a short acknowledgement is enough
 */
export function completionFrames(entries: readonly Entry[], acknowledged: ReadonlySet<number>): readonly Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (const entry of entries) {
    if (entry.kind !== "notification") continue;
    const completionId = "completionId" in entry.id ? entry.id.completionId : undefined;
    const isAcked = completionId !== undefined && acknowledged.has(completionId);
    frames.push(isAcked ? runCompletionAck(completionId) : entry.frame);
  }
  return frames;
}

/** Above this size, joining frames costs more than sending them one by one. */
const JOINED_MAX_BYTES = 16_384;

/** @returns the same bytes in few pieces */
export function joinedFrames(frames: readonly Uint8Array[]): readonly Uint8Array[] {
  let sizeBytes = 0;
  for (const { length } of frames) sizeBytes += length;
  if (frames.length < 2 || sizeBytes > JOINED_MAX_BYTES) return frames;
  const joined = new Uint8Array(sizeBytes);
  let at = 0;
  for (const frame of frames) {
    joined.set(frame, at);
    at += frame.length;
  }
  return [joined];
}

/** The completion ids of runs whose results the exchange may acknowledge. */
export function acknowledged(taken: readonly Received[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const item of taken) if (item.kind === "proposal" && item.asksAck) ids.add(item.completionId);
  return ids;
}
