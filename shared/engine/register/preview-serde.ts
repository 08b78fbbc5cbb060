/**
 * Asks a deployment to translate a payload between JSON and the bytes of a serializer. The SDK of the deployment translates
 * the payload if the serializer offers a preview.
 */
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import type { Engine } from "../engine.ts";
import { TransportError, type Exchange } from "../ports/endpoints.ts";

export interface PreviewRequest {
  readonly service: string;
  /** A name of the service's serializers, such as `greet/input`. */
  readonly serde: string;
  readonly operation: "encode" | "decode";
  readonly body: Uint8Array;
  /** The deployment that has the serializer; by default the deployment of the latest revision. */
  readonly deployment?: string | undefined;
}

export type PreviewAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Uint8Array }
  | { readonly kind: "unknown-service" }
  | { readonly kind: "failed"; readonly reason: string };

const TIME_MAX_MS = 10_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** Even with base64 encoding, a request of this size is below Lambda's limit for an event. */
const REQUEST_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Makes one request, bounded in time and bytes, through the endpoints that attempts use, so the same address guard and the same
 * signature apply to it.
 */
export async function previewSerde(
  engine: Pick<Engine, "endpoints" | "clock" | "registry" | "settings">,
  asked: PreviewRequest,
): Promise<PreviewAnswer> {
  const deployment = await deploymentOf(engine, asked);
  if (deployment === undefined) return { kind: "unknown-service" };
  if (asked.body.length > REQUEST_MAX_BYTES) {
    return {
      kind: "failed",
      reason: `The payload has ${asked.body.length} bytes; a preview takes ${REQUEST_MAX_BYTES}`,
    };
  }
  const exchange = opened(engine, deployment, asked);
  if (!("head" in exchange)) return exchange;
  const over = new AbortController();
  let isLate = false;
  void engine.clock.sleep(TIME_MAX_MS, over.signal).then((whole) => {
    if (!whole) return;
    isLate = true;
    exchange.abort();
  });
  try {
    const { status } = await exchange.head();
    const body = await bounded(exchange);
    return body === undefined
      ? failed(deployment, `answered with more than ${ANSWER_MAX_BYTES} bytes`)
      : { kind: "answered", status, body };
  } catch (error) {
    if (isLate) return failed(deployment, `did not answer within ${TIME_MAX_MS} ms`);
    if (error instanceof TransportError) return failed(deployment, `gave no answer: ${error.message}`);
    throw error;
  } finally {
    over.abort();
    exchange.abort();
  }
}

function opened(
  { endpoints, settings }: Pick<Engine, "endpoints" | "settings">,
  deployment: Deployment,
  { service, serde, operation, body }: PreviewRequest,
): Exchange | PreviewAnswer {
  try {
    return endpoints.open({
      destination: deployment.destination,
      method: "POST",
      path: `/serdes/${encodeURIComponent(service)}/${operation}/${encodeURIComponent(serde)}`,
      headers: {
        "content-type": operation === "encode" ? "application/json" : "application/octet-stream",
        "x-restate-cluster-name": settings.clusterName,
        ...deployment.additionalHeaders,
      },
      body: [body],
      halfClose: true,
    });
  } catch (error) {
    if (error instanceof TransportError) return failed(deployment, `gets no request: ${error.message}`);
    throw error;
  }
}

async function deploymentOf(
  { registry }: Pick<Engine, "registry">,
  { service, deployment: id }: PreviewRequest,
): Promise<Deployment | undefined> {
  if (id === undefined) return (await registry.services()).find((one) => one.service.name === service)?.deployment;
  const deployment = (await registry.deployments()).find((one) => one.id === id);
  return deployment?.services.some(({ name }) => name === service) === true ? deployment : undefined;
}

/** @returns undefined for an answer that is too large */
async function bounded(exchange: Exchange): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await exchange.next(); piece !== undefined; piece = await exchange.next()) {
    size += piece.length;
    if (size > ANSWER_MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

function failed({ destination }: Deployment, what: string): PreviewAnswer {
  return { kind: "failed", reason: `The deployment at ${addressOf(destination)} ${what}` };
}
