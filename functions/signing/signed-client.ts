/** Sends requests to an HTTP API, signed if the API requires IAM. */
import { type Agent, type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { requestSigner, type Signing } from "./request-signer.ts";

export interface ApiAddress {
  /** `http://` or `https://` with the host and port that the API expects in the header `host`. */
  readonly origin: string;
  /** The address to connect to, if this machine cannot resolve the host of the API. */
  readonly at?: { readonly hostname: string; readonly port: number };
  readonly agent?: Agent;
}

export interface ApiRequest {
  readonly method: string;
  /** Sent as it is, with the query. */
  readonly path: string;
  /** Without `host`, which comes from the origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty without a body. */
  readonly body: string;
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Returns a redirect as the answer. Rejects if the connection fails or the signal aborts. */
export type SendToApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** @param signing undefined for an API that takes unsigned requests */
export function signedClient({ origin, at, agent }: ApiAddress, signing?: Signing): SendToApi {
  const sign = signing && requestSigner(signing);
  const { protocol, host } = new URL(origin);
  const request = protocol === "http:" ? requestHttp : requestHttps;
  const connection = { ...at, ...(agent && { agent }) };
  return async ({ method, path, headers: plain, body, signal }) => {
    const url = new URL(`${origin}${path}`);
    const headers = { ...(sign ? await sign({ method, url, headers: plain, body }) : plain), host };
    return await new Promise((resolve, reject) => {
      const outgoing = request(
        origin,
        { ...connection, method, path, headers, ...(signal && { signal }) },
        (incoming) => {
          const pieces: Buffer[] = [];
          incoming.on("data", (piece: Buffer) => pieces.push(piece));
          incoming.once("error", reject);
          incoming.once("end", () => {
            const text = Buffer.concat(pieces).toString("utf8");
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
          });
        },
      );
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  };
}
