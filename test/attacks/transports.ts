/** Servers of the attacker for each transport over which a deployment is reached. */
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer as createHttp2Secure, createServer as createHttp2 } from "node:http2";
import { createServer as createHttp1Secure } from "node:https";
import { readFileSync } from "node:fs";
import { createServer as createTcp, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import type { PeerKind } from "../harness/https/peer.ts";

export interface Transport {
  readonly kind: PeerKind;
  /** The folder of the certificate, for the transports with TLS. */
  readonly fixtures: string;
}

/** Handles a request; the classes of both protocols share the few methods that attacks use. */
export type OnRequest = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** The options of a registration that say which transport it takes, beside its address. */
export function registrationOf(kind: PeerKind, port: number): { readonly uri: string; readonly use_http_11?: true } {
  const uri = `${kind.endsWith("TLS") ? "https" : "http"}://127.0.0.1:${port}`;
  return { uri, ...(kind === "http1.1 in the clear" && { use_http_11: true }) };
}

/** A server with the default limits of Node, as the deployments of the TypeScript SDK have them. */
export function requestServer({ kind, fixtures }: Transport, onRequest: OnRequest): Server {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => onRequest(request, response, Buffer.concat(parts)));
  };
  const either = listener as (request: unknown, response: unknown) => void;
  const server =
    kind === "h2 in the clear"
      ? createHttp2(either)
      : kind === "http1.1 in the clear"
        ? createHttp1(listener)
        : kind === "h2 over TLS"
          ? createHttp2Secure(credentialsAt(fixtures), either)
          : createHttp1Secure(credentialsAt(fixtures), listener);
  server.on("sessionError", () => undefined);
  return server as unknown as Server;
}

/** A server of bare sockets, behind the handshake if the transport has one. */
export function socketServer({ kind, fixtures }: Transport, onSocket: (socket: Socket) => void): Server {
  const listener = (socket: Socket): void => onSocket(socket.on("error", () => undefined));
  if (!kind.endsWith("TLS")) return createTcp(listener);
  const options = { ...credentialsAt(fixtures), ALPNProtocols: [kind.startsWith("h2") ? "h2" : "http/1.1"] };
  return createTls(options, listener);
}

function credentialsAt(fixtures: string): { readonly key: string; readonly cert: string } {
  const read = (name: string): string => readFileSync(`${fixtures}/${name}`, "utf8");
  return { key: read("test-only-server-key.pem"), cert: read("test-only-server.pem") };
}
