/** Finds deployments whose requests are held back until they end, by an intermediary or by their server. */
import type { OpenExchange } from "../local/open-attempt.ts";
import type { OpenStreams } from "../local/open-streams.ts";

/** An answer without a head after this time may wait for the end of the request, which an intermediary can require. */
const HEAD_PATIENCE_MS = 2_000;
/** The same for a deployment that has answered before the end of a request: it or this server may only be overloaded. */
const EARLY_HEAD_PATIENCE_MS = 10_000;
/** A head that comes so soon after the end of the request waited for that end. */
const HEAD_BEHIND_END_MS = 500;

function patienceMs(streams: OpenStreams, { deploymentId }: OpenExchange): number {
  return streams.answersEarly(deploymentId) ? EARLY_HEAD_PATIENCE_MS : HEAD_PATIENCE_MS;
}

/** When the exchange is half-closed for lack of a head. */
export function headDueAtMs(streams: OpenStreams, open: OpenExchange): number {
  return open.headAtMs !== undefined || open.isUnsent() ? Infinity : open.startedAtMs + patienceMs(streams, open);
}

/** Called once the head has come. */
export function noteHead(streams: OpenStreams, open: OpenExchange): void {
  if (open.halfClose !== undefined) streams.noteEarly(open.deploymentId);
}

/** Called at the end of the exchange: a deployment that answers only whole requests gets whole requests from now on. */
export function learnFromHead(streams: OpenStreams, open: OpenExchange): void {
  const { halfClosedAtMs, headAtMs, startedAtMs, deploymentId } = open;
  if (halfClosedAtMs === undefined || headAtMs === undefined) return;
  const behindMs = headAtMs - halfClosedAtMs;
  const isLate = halfClosedAtMs - startedAtMs >= patienceMs(streams, open);
  if (isLate && behindMs >= 0 && behindMs < HEAD_BEHIND_END_MS) streams.noteHeldBack(deploymentId);
}
