/** The bytes that an attempt sends: the request with start message and journal, and later frames on an exchange that stays open. */
import type { Consumption } from "../../core/invocation/segment.ts";
import type { Route } from "../../core/model/deployment.ts";
import { invocationIdBytes, nonceBytes } from "../../core/model/ids.ts";
import { traceparentText } from "../../core/model/trace-context.ts";
import { requestBody } from "../../core/protocol/request-body.ts";
import { invocationContentType, type ProtocolVersion } from "../../core/protocol/version.ts";
import type { EagerState } from "../lock/state-reads.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { ExchangeRequest } from "../ports/endpoints.ts";
import type { Entry } from "../../core/invocation/entry.ts";
import type { Received } from "../../core/protocol/received.ts";
import { runCompletionAck } from "../../core/protocol/notifications.ts";
import { sleepEntry } from "../store/entries.ts";
import { completionArrival } from "../store/item-keys.ts";

export function attemptRequest(
  engine: Engine,
  active: ActiveInvocation,
  route: Route,
  version: ProtocolVersion,
  sent: readonly Consumption[],
  eager: EagerState,
  halfClose: boolean,
): ExchangeRequest {
  const { acceptance, journal, retries, modifiedAtMs } = active.invocation;
  const { service, handler, key, scope } = acceptance.target;
  const frames = journal.entries.map(({ frame }) => frame);
  for (const { entry } of sent) frames.push(entry.frame);
  const contentType = invocationContentType(version);
  const { span } = active.attempt;
  const traceparent = span === undefined ? acceptance.traceparent : traceparentText(span);
  return {
    destination: route.deployment.destination,
    method: "POST",
    path: `/invoke/${service}/${handler}`,
    headers: {
      "content-type": contentType,
      accept: contentType,
      "x-restate-invocation-id": active.id,
      "x-restate-cluster-name": engine.settings.clusterName,
      ...(key !== undefined && { "x-restate-service-key": encodeURIComponent(key) }),
      ...(traceparent !== undefined && { traceparent }),
      ...route.deployment.additionalHeaders,
    },
    body: requestBody({
      version,
      start: {
        id: invocationIdBytes(active.id),
        debugId: active.id,
        key,
        ...eager,
        retryCount: retries.sinceEntry,
        durationMs: retries.sinceEntry === 0 ? 0 : Math.max(0, engine.clock.nowMs() - modifiedAtMs),
        randomSeed: seedOf(active),
        scope,
        limitKey: acceptance.limitKey,
        idempotencyKey: acceptance.idempotencyKey,
      },
      frames,
      knownEntries: frames.length,
    }),
    halfClose,
  };
}

/** The nonce seeds the random numbers of the handler: all attempts of a life have one seed, and the next life has another. */
function seedOf({ invocation }: ActiveInvocation): bigint {
  let seed = 0n;
  for (const byte of nonceBytes(invocation.acceptance.nonce)) seed = (seed << 8n) | BigInt(byte);
  return seed;
}

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
