/** Tests that a peer which sends frames or bytes that carry nothing is disconnected, over every transport, while another peer answers. */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import { TransportError, type Exchange } from "../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import {
  afterAll,
  echo,
  PEER_KINDS,
  startPeer,
  startServer,
  testCa,
  testCredentials,
  type Peer,
  type PeerKind,
} from "../../harness/https/peer.ts";
import { END_HEADERS, frame, OK, settings, TYPE } from "./http2/scripted-peer.ts";

/** A flood far beyond the bounds; a client without bounds would read all of it. */
const FLOOD_MAX_BYTES = 200 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** What the systems on both sides may hold between the last byte that the client reads and the end of the connection. */
const UNDER_WAY_BYTES = 24 * 1024 * 1024;

let endpoints: HttpsEndpoints;
const peers: Peer[] = [];
beforeEach(() => {
  endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa });
});
afterEach(async () => {
  endpoints.close();
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

interface Flood {
  readonly head?: Buffer;
  readonly unit: Buffer;
}

const text = (ascii: string): Buffer => Buffer.from(ascii, "latin1");
const ANSWER = text("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
const OPEN = frame(TYPE.headers, END_HEADERS, 1, OK);
const INFORM = Buffer.from([0x08, 0x03, 0x31, 0x30, 0x33]);

const OVER_HTTP1: Readonly<Record<string, Flood>> = {
  "100 Continue": { unit: text("HTTP/1.1 100 Continue\r\n\r\n") },
  "102 Processing": { unit: text("HTTP/1.1 102 Processing\r\n\r\n") },
  "103 Early Hints": { unit: text("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n") },
  "large informational heads": { unit: text(`HTTP/1.1 103 Early Hints\r\nlink: <${"a".repeat(12_000)}>\r\n\r\n`) },
  "chunks of one byte": { head: ANSWER, unit: text("1\r\nx\r\n") },
  "extensions of chunks": { head: ANSWER, unit: text(`1;${"a".repeat(4_000)}\r\nx\r\n`) },
};
const OVER_HTTP2: Readonly<Record<string, Flood>> = {
  "informational heads": { unit: frame(TYPE.headers, END_HEADERS, 1, INFORM) },
  "content without bytes": { head: OPEN, unit: frame(TYPE.data, 0, 1) },
  "content of one byte": { head: OPEN, unit: frame(TYPE.data, 0, 1, text("x")) },
  "ALTSVC frames": { unit: frame(0x0a, 0, 0, Buffer.concat([Buffer.from([0, 0]), text('h2=":1"')])) },
  "ORIGIN frames": { unit: frame(0x0c, 0, 0, Buffer.alloc(200)) },
  "large frames of an unknown type": { unit: frame(0xee, 0, 1, Buffer.alloc(16_000)) },
  "unknown frames among content": {
    head: OPEN,
    unit: Buffer.concat([frame(TYPE.data, 0, 1, text("x")), frame(0xee, 0, 1, Buffer.alloc(4_000))]),
  },
  pings: { unit: frame(TYPE.ping, 1, 0, Buffer.alloc(8)) },
  settings: { unit: frame(TYPE.settings, 0, 0) },
  priorities: { unit: frame(TYPE.priority, 0, 1, Buffer.alloc(5)) },
  "window updates": { unit: frame(TYPE.window, 0, 1, Buffer.from([0, 0, 0, 1])) },
};

/** A server on a raw socket that floods after the first bytes of a request. */
async function flooder(kind: PeerKind, { head, unit }: Flood): Promise<{ uri: string; sentBytes: () => number }> {
  let sentBytes = 0;
  const onSocket = (socket: Socket): void => {
    socket.on("error", () => {});
    if (kind.startsWith("h2")) socket.write(settings());
    const piece = Buffer.concat(Array.from({ length: Math.ceil(PIECE_BYTES / unit.length) }, () => unit));
    const pump = (): void => {
      for (;;) {
        if (socket.destroyed || sentBytes >= FLOOD_MAX_BYTES) return;
        sentBytes += piece.length;
        if (!socket.write(piece)) return void socket.once("drain", pump);
      }
    };
    socket.once("data", () => {
      if (head !== undefined) socket.write(head);
      // The request of HTTP/2 may come after the preface.
      setTimeout(pump, 20);
    });
    socket.resume();
  };
  const isSecure = kind.endsWith("TLS");
  const alpn = kind.startsWith("h2") ? "h2" : "http/1.1";
  const server = isSecure ? createTls({ ...testCredentials, ALPNProtocols: [alpn] }, onSocket) : createServer(onSocket);
  const peer = await startServer(server as Server, isSecure ? "https" : "http");
  peers.push(peer);
  return { uri: peer.uri, sentBytes: () => sentBytes };
}

/** Reads to the end, and keeps no byte. */
async function failureOf(exchange: Exchange): Promise<TransportError> {
  try {
    while ((await exchange.next()) !== undefined);
  } catch (error) {
    if (error instanceof TransportError) return error;
  }
  throw new Error("the exchange did not fail");
}

describe.each(PEER_KINDS)("over %s", (kind) => {
  test.each(Object.entries(kind.startsWith("h2") ? OVER_HTTP2 : OVER_HTTP1))(
    "a flood of %s ends the exchange, and another peer is answered meanwhile",
    async (_name, flood) => {
      const good = await startPeer(
        kind,
        afterAll((body) => body),
      );
      peers.push(good);
      const { uri, sentBytes } = await flooder(kind, flood);
      const failure = failureOf(endpoints.open(requestTo(uri, kind, { body: [text("hi")] })));
      for (let at = 0; at < 5; at++) {
        expect(String(await readAll(endpoints.open(requestTo(good.uri, kind, { body: [text("hello")] }))))).toBe(
          "hello",
        );
      }
      const { reason, message } = await failure;
      expect([reason, message]).toEqual([
        "flood",
        expect.stringContaining(`The deployment at ${new URL(uri).host} floods`),
      ]);
      expect(sentBytes()).toBeLessThan(UNDER_WAY_BYTES);
    },
  );
});

describe.each(["http1.1 in the clear", "http1.1 over TLS"] as const)("over %s", (kind) => {
  test("a connection on which bytes came between two requests carries no further request", async () => {
    let written: Promise<void> | undefined;
    const peer = await startPeer(kind, (request, response) => {
      const { socket } = request.resume();
      response.end("ok");
      written = new Promise((resolve) =>
        setTimeout(() => socket.write("HTTP/1.1 100 Continue\r\n\r\n", () => resolve()), 50),
      );
    });
    const good = await startPeer(kind, echo);
    peers.push(peer, good);
    expect(String(await readAll(endpoints.open(requestTo(peer.uri, kind))))).toBe("ok");
    await written;
    // The bytes arrive while another peer is asked.
    for (let at = 0; at < 5; at++) await readAll(endpoints.open(requestTo(good.uri, kind)));
    expect(String(await readAll(endpoints.open(requestTo(peer.uri, kind))))).toBe("ok");
    expect(peer.connections()).toBe(2);
  });

  test("a head of 60,000 bytes is read, and a larger one breaks the exchange", async () => {
    let size = 60_000;
    const peer = await startPeer(kind, (request, response) => {
      request.resume();
      response.writeHead(200, { "x-large": "a".repeat(size) }).end("ok");
    });
    peers.push(peer);
    const head = await endpoints.open(requestTo(peer.uri, kind)).head();
    expect(head.headers["x-large"]).toHaveLength(size);
    size = 70_000;
    expect(await reasonOf(endpoints.open(requestTo(peer.uri, kind)).head())).toBe("broken");
  });
});
