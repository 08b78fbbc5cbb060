/** Servers that play the deployment in tests: HTTP/2 and HTTP/1.1, in the clear and over TLS. One `Answer` serves all kinds. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createSecureServer as createHttp2Secure,
  createServer as createHttp2,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttp1Secure } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../../patience.ts";

export type PeerKind = "h2 in the clear" | "http1.1 in the clear" | "h2 over TLS" | "http1.1 over TLS";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Peer {
  readonly uri: string;
  readonly port: number;
  /** Connections accepted since the start. */
  readonly connections: () => number;
  /** Breaks all connections and frees the port. */
  readonly stop: () => Promise<void>;
}

const fixture = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");

export const testCa = fixture("test-only-ca.pem");
export const testCredentials = { key: fixture("test-only-server-key.pem"), cert: fixture("test-only-server.pem") };

export const PEER_KINDS: readonly PeerKind[] = [
  "h2 in the clear",
  "http1.1 in the clear",
  "h2 over TLS",
  "http1.1 over TLS",
];

export function startPeer(kind: PeerKind, answer: Answer, port = 0): Promise<Peer> {
  return startServer(serverOf(kind, answer), kind.endsWith("TLS") ? "https" : "http", port);
}

/** The pause between two tries to listen on a port that another process occupies for a moment. */
const AGAIN_AFTER_MS = 50;

/** Starts a server on loopback and counts its connections. */
export async function startServer(server: Server, scheme: "http" | "https" = "http", port = 0): Promise<Peer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    // Clients that disconnect are part of many tests.
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await listenOn(server, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    uri: `${scheme}://127.0.0.1:${bound}`,
    port: bound,
    connections: () => accepted,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port that was free a moment ago may belong to another connection now; it is free again when that connection ends. */
export async function listenOn(server: Server, port: number): Promise<void> {
  const listening = () => {
    const heard = once(server, "listening");
    server.listen(port, "127.0.0.1");
    return heard;
  };
  for (const untilMs = Date.now() + SEEN_WITHIN_MS; ; await pause(AGAIN_AFTER_MS)) {
    const failure: unknown = await listening().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    const isTaken = (failure as NodeJS.ErrnoException).code === "EADDRINUSE";
    if (!isTaken || Date.now() > untilMs) throw failure;
  }
}

function serverOf(kind: PeerKind, answer: Answer): Server {
  // The responses of both modules share the few methods that tests use.
  const either = answer as (request: unknown, response: unknown) => void;
  if (kind === "h2 in the clear") return createHttp2(either);
  if (kind === "h2 over TLS") return createHttp2Secure(testCredentials, either) as unknown as Server;
  if (kind === "http1.1 over TLS") return createHttp1Secure(testCredentials, answer);
  return createHttp1(answer);
}

/** Breaks a response off: a reset of the stream, or of the connection in HTTP/1.1. */
export function cut(response: ServerResponse): void {
  const { stream } = response as unknown as { stream?: ServerHttp2Stream };
  if (stream === undefined) response.destroy();
  else {
    stream.on("error", () => {});
    stream.destroy(new Error("cut"));
  }
}

export const echo: Answer = (request, response) => {
  response.writeHead(200, { "content-type": "application/octet-stream" });
  request.pipe(response);
};

/** Reads the whole request before it answers with the result of `make`. */
export function afterAll(make: (body: Buffer, request: IncomingMessage) => string | Uint8Array): Answer {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => response.writeHead(200).end(make(Buffer.concat(parts), request)));
  };
}
