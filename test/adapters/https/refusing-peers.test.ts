/** Tests connections whose peer refuses streams: they take no new requests, and a refusal before any answer costs no exchange. */
import { constants, createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { Server, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import type { Exchange, ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import { startServer, testCa, testCredentials, type Peer } from "../../harness/https/peer.ts";

const KINDS = ["h2 in the clear", "h2 over TLS"] as const;
/** The most connections of one origin, with those that take no new requests. */
const CONNECTIONS_MAX = 32;
const { NGHTTP2_ENHANCE_YOUR_CALM: CALM, NGHTTP2_REFUSED_STREAM: REFUSED, NGHTTP2_NO_ERROR: NO_ERROR } = constants;

let endpoints: HttpsEndpoints;
const peers: Peer[] = [];
beforeEach(() => {
  endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa });
});
afterEach(async () => {
  endpoints.close();
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

const nextText = async (exchange: Exchange): Promise<string> => Buffer.from((await exchange.next()) ?? []).toString();
const textOf = async (exchange: Exchange): Promise<string> => (await readAll(exchange)).toString();

function answer(stream: ServerHttp2Stream, text: string): void {
  stream.respond({ ":status": 200 });
  stream.end(text);
}

/** Reads some bytes of the answer, and gives the rest up. */
async function giveUpInTheMiddle(exchange: Exchange): Promise<void> {
  await exchange.next();
  exchange.abort();
}

/** Lets the frames that are under way arrive on both sides. */
const turns = async (): Promise<void> => {
  for (let at = 0; at < 20; at++) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(KINDS)("over %s", (kind) => {
  const sockets: Socket[] = [];
  beforeEach(() => void sockets.splice(0));

  /** @param onStream gets the number of the stream on its connection, and the number of the connection, both from 1 */
  async function peerThat(
    onStream: (stream: ServerHttp2Stream, at: { readonly stream: number; readonly connection: number }) => void,
  ): Promise<Peer> {
    const isSecure = kind === "h2 over TLS";
    // The default limit of memory of a session, as the deployments of the TypeScript SDK have it.
    const server = (isSecure ? createSecureServer(testCredentials) : createServer()) as Http2Server;
    const sessions = new Map<unknown, { readonly connection: number; streams: number }>();
    server.on("sessionError", () => {});
    server.on("connection", (socket: Socket) => sockets.push(socket));
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      stream.resume();
      const known = sessions.get(stream.session) ?? { connection: sessions.size + 1, streams: 0 };
      sessions.set(stream.session, known);
      known.streams += 1;
      onStream(stream, { stream: known.streams, connection: known.connection });
    });
    const peer = await startServer(server as unknown as Server, isSecure ? "https" : "http");
    peers.push(peer);
    return peer;
  }

  const ask = (peer: Peer, change: Partial<ExchangeRequest> = {}): Exchange =>
    endpoints.open(requestTo(peer.uri, kind, { body: [Buffer.from("hello")], ...change }));

  test("after a large answer was given up in the middle, every later request is answered", async () => {
    const large = Buffer.alloc(40 * 1024 * 1024, 0x72);
    let streams = 0;
    const peer = await peerThat((stream) => {
      stream.respond({ ":status": 200 });
      stream.end((streams += 1) === 1 ? large : "fine");
    });
    await giveUpInTheMiddle(ask(peer));
    await turns();
    for (let at = 0; at < 5; at++) expect(await textOf(ask(peer))).toBe("fine");
    const many = Array.from({ length: 150 }, () => textOf(ask(peer)));
    expect(new Set(await Promise.all(many))).toEqual(new Set(["fine"]));
    expect(peer.connections()).toBeLessThanOrEqual(3);
  });

  test.each([
    ["ENHANCE_YOUR_CALM", CALM],
    ["REFUSED_STREAM", REFUSED],
  ])("a connection that refuses with %s takes no new request, and closes after its last stream", async (_, code) => {
    let finish = (): void => {};
    let over: Promise<void> | undefined;
    const peer = await peerThat((stream, at) => {
      if (at.connection > 1) return answer(stream, `second connection, stream ${at.stream}`);
      if (at.stream > 1) return stream.close(code);
      over = new Promise((resolve) => stream.session?.once("close", () => resolve()));
      stream.respond({ ":status": 200 });
      stream.write("begun");
      finish = () => void stream.end(", and done");
    });
    const running = ask(peer);
    expect(await nextText(running)).toBe("begun");
    expect(await textOf(ask(peer))).toBe("second connection, stream 1");
    expect(await textOf(ask(peer))).toBe("second connection, stream 2");
    finish();
    expect(await textOf(running)).toBe(", and done");
    await over;
    expect(peer.connections()).toBe(2);
  });

  test("a refused request is repeated with all that was written since", async () => {
    const peer = await peerThat((stream, at) => {
      if (at.connection > 1) {
        stream.respond({ ":status": 200 });
        stream.pipe(stream);
      } else if (at.stream === 1) answer(stream, "well");
      else stream.once("data", () => stream.close(CALM));
    });
    expect(await textOf(ask(peer))).toBe("well");
    const exchange = ask(peer, { halfClose: false });
    exchange.write(Buffer.from(" and"));
    exchange.write(Buffer.from(" more"));
    exchange.halfClose();
    expect(await textOf(exchange)).toBe("hello and more");
  });

  test("a peer that refuses on new connections is asked twice, and the exchange fails", async () => {
    let asked = 0;
    const peer = await peerThat((stream) => {
      asked += 1;
      stream.close(CALM);
    });
    const exchange = ask(peer);
    expect(await reasonOf(exchange.head())).toBe("broken");
    await expect(exchange.next()).rejects.toThrow("refused the request");
    expect(asked).toBe(2);
    expect(peer.connections()).toBe(2);
  });

  test("a peer that answers one request of each connection and refuses the next ones is asked a bounded number of times", async () => {
    const peer = await peerThat((stream, at) => (at.stream === 1 ? answer(stream, "one") : stream.close(REFUSED)));
    const outcomes = Array.from({ length: 60 }, () => textOf(ask(peer)).catch((error: Error) => error.message));
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatch(/^one$|refused the request/);
    expect(peer.connections()).toBeLessThan(60);
  });

  test("requests without an answer are repeated when a peer that asks for calm closes the connection", async () => {
    const peer = await peerThat((stream, at) => {
      if (at.connection > 1) return answer(stream, "second connection");
      if (at.stream === 1) return answer(stream, "first connection");
      if (at.stream < 4) return;
      stream.session?.goaway(CALM, 1 + 2 * 3);
      // The session writes the GOAWAY in this turn of the event loop.
      setImmediate(() => sockets[0]?.end());
    });
    expect(await textOf(ask(peer))).toBe("first connection");
    const texts = await Promise.all(Array.from({ length: 3 }, () => textOf(ask(peer))));
    expect(texts).toEqual(["second connection", "second connection", "second connection"]);
  });

  test("after a GOAWAY with an error, an answer under way comes to its end", async () => {
    let finish = (): void => {};
    const peer = await peerThat((stream, at) => {
      if (at.connection > 1) return answer(stream, "second connection");
      stream.respond({ ":status": 200 });
      stream.write("begun");
      stream.session?.goaway(CALM, 1);
      finish = () => void stream.end(", and done");
    });
    const running = ask(peer);
    expect(await nextText(running)).toBe("begun");
    expect(await textOf(ask(peer))).toBe("second connection");
    finish();
    expect(await textOf(running)).toBe(", and done");
  });

  test("connections that refuse and still answer earlier requests are bounded, and the requests behind them wait", async () => {
    const held: ServerHttp2Stream[] = [];
    let refused = (): void => {};
    const lastRefusal = new Promise<void>((resolve) => (refused = resolve));
    const peer = await peerThat((stream, at) => {
      if (at.stream > 1) {
        stream.close(CALM);
        if (at.connection === CONNECTIONS_MAX) refused();
        return;
      }
      stream.respond({ ":status": 200 });
      stream.write("begun");
      held.push(stream);
    });
    for (let at = 0; at < CONNECTIONS_MAX; at++) expect(await nextText(ask(peer))).toBe("begun");
    const waiting = ask(peer);
    await lastRefusal;
    await turns();
    expect([waiting.isUnsent, peer.connections()]).toEqual([true, CONNECTIONS_MAX]);
    held[0]?.end();
    expect(await nextText(waiting)).toBe("begun");
    expect(peer.connections()).toBe(CONNECTIONS_MAX + 1);
  });

  test("a GOAWAY without an error leaves the connection to its streams", async () => {
    const peer = await peerThat((stream, at) => {
      if (at.connection === 1) stream.session?.goaway(NO_ERROR, 1);
      answer(stream, `connection ${at.connection}`);
    });
    expect(await textOf(ask(peer))).toBe("connection 1");
    expect(await textOf(ask(peer))).toBe("connection 2");
  });
});

test("many first requests that negotiate share one connection", async () => {
  const server = createSecureServer(testCredentials);
  server.on("stream", (stream) => answer(stream, "ok"));
  const peer = await startServer(server as unknown as Server, "https");
  peers.push(peer);
  const destination = { uri: peer.uri, httpVersion: "negotiate" } as const;
  const all = Array.from({ length: 50 }, () =>
    textOf(endpoints.open(requestTo(peer.uri, "h2 over TLS", { destination }))),
  );
  expect(new Set(await Promise.all(all))).toEqual(new Set(["ok"]));
  expect(peer.connections()).toBe(1);
});
