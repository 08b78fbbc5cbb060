/** Finds deployments for which an intermediary or the server of the deployment holds each request back until the request ends. */
import type { OpenExchange } from "../local/open-attempt.ts";
import type { OpenStreams } from "../local/open-streams.ts";

/**
 * If the head of an answer does not come within this time, the answer may wait for the end of the request: some intermediaries
 * pass only whole requests on.
 */
const HEAD_PATIENCE_MS = 2_000;
/**
 * The longer time for a deployment that is known to answer before the end of a request. If the head of such a deployment is late,
 * the cause may be an overload of the deployment or of this server.
 */
const EARLY_HEAD_PATIENCE_MS = 10_000;
/** A head that comes within this time after the end of the request counts as one that waited for that end. */
const HEAD_BEHIND_END_MS = 500;

function patienceMs(streams: OpenStreams, { deploymentId }: OpenExchange): number {
  return streams.earlyAnswers.isKnown(deploymentId) ? EARLY_HEAD_PATIENCE_MS : HEAD_PATIENCE_MS;
}

/**
 * The moment at which the exchange is half-closed if no head has come; infinite once the head has come, or while the request is
 * unsent.
 */
export function headDueAtMs(streams: OpenStreams, open: OpenExchange): number {
  return open.headAtMs !== undefined || open.isUnsent() ? Infinity : open.startedAtMs + patienceMs(streams, open);
}

/** Called once the head has come. */
export function noteHead(streams: OpenStreams, open: OpenExchange): void {
  if (open.halfClose !== undefined) streams.earlyAnswers.noteEarly(open.deploymentId);
}

/** Called at the end of the exchange: a deployment that answers only whole requests gets whole requests for a while. */
export function learnFromHead(streams: OpenStreams, open: OpenExchange, nowMs: number): void {
  const { halfClosedAtMs, headAtMs, startedAtMs, deploymentId } = open;
  if (halfClosedAtMs === undefined || headAtMs === undefined) return;
  const behindMs = headAtMs - halfClosedAtMs;
  const isLate = halfClosedAtMs - startedAtMs >= patienceMs(streams, open);
  if (!isLate || behindMs < 0 || behindMs >= HEAD_BEHIND_END_MS) return;
  streams.earlyAnswers.noteHeldBack(deploymentId, startedAtMs, nowMs);
}
