/** Requests the manifest of a deployment for discovery, with retries after transient failures. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf } from "../../core/model/deployment.ts";
import { MANIFEST_ACCEPT } from "../../core/protocol/manifest.ts";
import { parseAddress } from "../../core/registry/deployment-identity.ts";
import type { Engine } from "../engine.ts";
import { TransportError, type Destination, type Exchange, type ExchangeHead } from "../ports/endpoints.ts";

const FIRST_WAIT_MS = 100;
const MANIFEST_MAX_BYTES = 4 * 1024 * 1024;
const QUOTE_MAX_CHARACTERS = 300;
const TRANSIENT_REASONS: ReadonlySet<string> = new Set(["unreachable", "broken", "throttled"]);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface DiscoveryLimits {
  readonly attempts: number;
  /** The limit for all attempts together. */
  readonly timeMaxMs: number;
}

/** The limits of a registration: the operator waits for the answer. */
export const REGISTRATION_LIMITS: DiscoveryLimits = { attempts: 4, timeMaxMs: 10_000 };

export interface ManifestAnswer {
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** The name that the deployment gives itself, such as `restate-sdk-typescript/1.17.2`. */
  readonly sdkVersion: string | undefined;
  /** The version of HTTP that the exchange used; for `https:`, the handshake decided it. */
  readonly httpVersion: "h2" | "http1.1";
}

/** A failure after which another attempt may succeed. */
class TransientFailure extends Error {
  readonly coded: CodedError;
  constructor(coded: CodedError) {
    super(coded.message);
    this.coded = coded;
  }
}

/** @throws CodedError META0003, META0013 (answer too large) or META0014 */
export async function fetchManifest(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  destination: Destination,
  additionalHeaders: Readonly<Record<string, string>>,
  { attempts, timeMaxMs }: DiscoveryLimits,
): Promise<ManifestAnswer> {
  const deadlineMs = engine.clock.nowMs() + timeMaxMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(engine, destination, additionalHeaders, { timeMaxMs, deadlineMs });
    } catch (error) {
      if (!(error instanceof TransientFailure)) throw error;
      const waitMs = FIRST_WAIT_MS * 2 ** (attempt - 1);
      if (attempt === attempts || engine.clock.nowMs() + waitMs >= deadlineMs) throw error.coded;
      await engine.clock.sleep(waitMs);
    }
  }
}

async function fetchOnce(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  destination: Destination,
  additionalHeaders: Readonly<Record<string, string>>,
  { timeMaxMs, deadlineMs }: { readonly timeMaxMs: number; readonly deadlineMs: number },
): Promise<ManifestAnswer> {
  const address = namedAddress(destination);
  const exchange = engine.endpoints.open({
    destination,
    method: "GET",
    path: "/discover",
    headers: { ...additionalHeaders, accept: MANIFEST_ACCEPT, "x-restate-cluster-name": engine.settings.clusterName },
    body: [],
    halfClose: true,
  });
  const over = new AbortController();
  let late = false;
  const leftMs = Math.min(timeMaxMs, Math.max(0, deadlineMs - engine.clock.nowMs()));
  void engine.clock.sleep(leftMs, over.signal).then((whole) => {
    if (!whole) return;
    late = true;
    exchange.abort();
  });
  try {
    const head = await exchange.head();
    const body = await collect(exchange, address);
    assertAnswered(head, body, address);
    return {
      contentType: head.headers["content-type"],
      body,
      sdkVersion: head.headers["x-restate-server"],
      httpVersion: head.httpVersion,
    };
  } catch (error) {
    if (late) throw new CodedError("META0003", `${address} did not answer within ${timeMaxMs} ms`);
    throw error instanceof TransportError ? explained(error, address) : error;
  } finally {
    over.abort();
    exchange.abort();
  }
}

async function collect(exchange: Exchange, address: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await exchange.next(); piece !== undefined; piece = await exchange.next()) {
    pieces.push(piece);
    size += piece.length;
    if (size > MANIFEST_MAX_BYTES) {
      throw new CodedError("META0013", `the answer of ${address} is larger than ${MANIFEST_MAX_BYTES} bytes`);
    }
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

function assertAnswered(head: ExchangeHead, body: Uint8Array, address: string): void {
  if (head.status >= 200 && head.status < 300) return;
  const text = new TextDecoder().decode(body.subarray(0, 4 * QUOTE_MAX_CHARACTERS)).slice(0, QUOTE_MAX_CHARACTERS);
  const coded = new CodedError("META0003", `${address} answered with status ${head.status}. Body: ${text}`);
  throw TRANSIENT_STATUSES.has(head.status) ? new TransientFailure(coded) : coded;
}

/** The address for error messages, with the default port of its scheme, because firewall rules name ports. */
function namedAddress(destination: Destination): string {
  const address = addressOf(destination);
  const { scheme, authority } = parseAddress(address) ?? {};
  if (authority === undefined || /:\d+$/.test(authority)) return `'${address}'`;
  return `'${address}' (port ${scheme === "https" ? 443 : 80})`;
}

function explained(error: TransportError, address: string): CodedError | TransientFailure {
  const detail = `error when calling ${address}: ${error.message.replace(/\.$/, "")}`;
  if (error.reason === "http1-only") {
    return new CodedError("META0014", `${detail}. Try to register it with --use-http1.1`, { cause: error });
  }
  const coded = new CodedError("META0003", detail, { cause: error });
  return TRANSIENT_REASONS.has(error.reason) ? new TransientFailure(coded) : coded;
}
