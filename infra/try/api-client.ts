/** A client of the stack's two HTTP APIs that signs requests for IAM. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { requestSigner } from "../../functions/signing/request-signer.ts";
import type { EmulatedApi } from "./tools.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** From the start of the request to the end of the answer. */
  readonly tookMs: number;
}

export interface ApiQuestion {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly input?: unknown;
  /** Omits the signature. */
  readonly unsigned?: boolean;
}

export type AskApi = (path: string, question?: ApiQuestion) => Promise<ApiAnswer>;

interface ApiAddress {
  readonly isPlain: boolean;
  readonly host: string;
  readonly hostname: string;
  readonly port: number;
}

/** Longer than the thirty seconds that the gateway waits. */
const ANSWER_WITHIN_MS = 40_000;
const HTTPS_PORT = 443;

/** @param emulated the address at an emulator, which replaces `url` */
export function apiClient(url: string, region: string, emulated?: EmulatedApi): AskApi {
  const address = emulated === undefined ? addressOf(url) : { ...emulated, isPlain: true, hostname: "127.0.0.1" };
  const sign = requestSigner({ region, credentials: defaultProvider() });
  return async (path, { method = "GET", headers = {}, input, unsigned = false } = {}) => {
    const body = input === undefined ? "" : JSON.stringify(input);
    const all = { ...headers, ...(input !== undefined && { "content-type": "application/json" }) };
    const asked = new URL(path, `${address.isPlain ? "http" : "https"}://${address.host}`);
    const sent = unsigned ? all : await sign({ method, url: asked, headers: all, body });
    return await exchange(address, { method, path, headers: { ...sent, host: address.host }, body });
  };
}

function addressOf(url: string): ApiAddress {
  const { host, hostname, port } = new URL(url);
  return { isPlain: false, host, hostname, port: port === "" ? HTTPS_PORT : Number(port) };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function exchange({ isPlain, hostname, port }: ApiAddress, { body, ...sent }: Sent): Promise<ApiAnswer> {
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return new Promise((resolve, reject) => {
    const send = isPlain ? requestHttp : requestHttps;
    const outgoing = send({ hostname, port, ...sent, signal }, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.once("error", reject);
      incoming.once("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const tookMs = performance.now() - startedMs;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, tookMs });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
