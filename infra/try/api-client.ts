/** A client of the stack's two HTTP APIs that signs requests for IAM. */
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { type ApiAnswer, signedClient } from "../../functions/signing/signed-client.ts";
import type { EmulatedApi } from "./tools.ts";

export interface TimedAnswer extends ApiAnswer {
  /** The time from the start of the request to the end of the answer; it includes the signing. */
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

export type AskApi = (path: string, question?: ApiQuestion) => Promise<TimedAnswer>;

/** The gateway gives up after thirty seconds, so its answer comes before this limit. */
const ANSWER_WITHIN_MS = 40_000;

/** @param emulated the address of the API at an emulator; requests go there instead of to `url` */
export function apiClient(url: string, region: string, emulated?: EmulatedApi): AskApi {
  const address =
    emulated === undefined
      ? { origin: new URL(url).origin }
      : { origin: `http://${emulated.host}`, at: { hostname: "127.0.0.1", port: emulated.port } };
  const sendSigned = signedClient(address, { region, credentials: defaultProvider() });
  const sendUnsigned = signedClient(address);
  return async (path, { method = "GET", headers = {}, input, unsigned = false } = {}) => {
    const body = input === undefined ? "" : JSON.stringify(input);
    const all = { ...headers, ...(input !== undefined && { "content-type": "application/json" }) };
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await (unsigned ? sendUnsigned : sendSigned)({ method, path, headers: all, body, signal });
    return { ...answer, tookMs: performance.now() - startedMs };
  };
}
