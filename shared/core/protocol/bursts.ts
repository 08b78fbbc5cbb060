/** Recognises the parts of an answer that came together, although the transport cut them into several chunks. */
import type { Received } from "./received.ts";

/** A transport that sends a stored answer leaves less time than this between two chunks; so does a handler with very short steps. */
const BURST_GAP_MS = 20;

/**
 * Gives entries that came in one burst the moment at which the burst ended. Only on an open exchange does a deployment have to send
 * each command before it waits for the command. Any other answer may have been kept back, so the moments within a burst say how
 * quickly the transport was, and nothing about the handler.
 */
export function inBursts(received: readonly Received[]): readonly Received[] {
  const all: Received[] = [];
  let nextMs: number | undefined;
  let burstMs: number | undefined;
  for (const item of received.toReversed()) {
    const { receivedAtMs } = item;
    const isNear = nextMs !== undefined && receivedAtMs !== undefined && nextMs - receivedAtMs <= BURST_GAP_MS;
    burstMs = isNear ? burstMs : receivedAtMs;
    nextMs = receivedAtMs;
    all.push(burstMs === receivedAtMs || burstMs === undefined ? item : { ...item, receivedAtMs: burstMs });
  }
  return all.reverse();
}
