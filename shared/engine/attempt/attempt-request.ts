/** The request of an attempt: start message, journal, and new notifications, for one handler on one deployment. */
import type { Consumption } from "../../core/invocation/segment.ts";
import type { Route } from "../../core/model/deployment.ts";
import { invocationIdBytes, nonceBytes } from "../../core/model/ids.ts";
import { traceparentText } from "../../core/model/trace-context.ts";
import { requestBody } from "../../core/protocol/request-body.ts";
import { invocationContentType, type ProtocolVersion } from "../../core/protocol/version.ts";
import type { EagerState } from "../lock/eager-state.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { ExchangeRequest } from "../ports/endpoints.ts";

export function attemptRequest(
  engine: Engine,
  active: ActiveInvocation,
  route: Route,
  version: ProtocolVersion,
  sent: readonly Consumption[],
  eager: EagerState,
  halfClose: boolean,
): ExchangeRequest {
  const { acceptance } = active.invocation;
  const { service, handler, key } = acceptance.target;
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
    body: bodyOf(engine, active, version, sent, eager),
    halfClose,
  };
}

function bodyOf(
  engine: Engine,
  active: ActiveInvocation,
  version: ProtocolVersion,
  sent: readonly Consumption[],
  eager: EagerState,
): Uint8Array[] {
  const { acceptance, journal, retries, modifiedAtMs } = active.invocation;
  const { key } = acceptance.target;
  const frames = journal.entries.map(({ frame }) => frame);
  for (const { entry } of sent) frames.push(entry.frame);
  return requestBody({
    version,
    start: {
      id: invocationIdBytes(active.id),
      debugId: active.id,
      key,
      ...eager,
      retryCount: retries.sinceEntry,
      durationMs: retries.sinceEntry === 0 ? 0 : Math.max(0, engine.clock.nowMs() - modifiedAtMs),
      randomSeed: seedOf(active),
      idempotencyKey: acceptance.idempotencyKey,
    },
    frames,
    knownEntries: frames.length,
  });
}

/** The nonce seeds the random numbers of the handler: all attempts of a life have one seed, and the next life has another. */
function seedOf({ invocation }: ActiveInvocation): bigint {
  let seed = 0n;
  for (const byte of nonceBytes(invocation.acceptance.nonce)) seed = (seed << 8n) | BigInt(byte);
  return seed;
}
