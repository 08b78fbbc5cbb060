/** Tests unusual HTTP/2 peers: they send GOAWAY, refuse requests, limit streams, or speak another protocol. */
import { createServer as createHttp1 } from "node:http";
import { constants, createServer as createHttp2, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { createServer as createTcp, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import type { Exchange, ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import { startServer, type Peer } from "../../harness/https/peer.ts";

let endpoints: HttpsEndpoints;
const peers: Peer[] = [];
beforeEach(() => {
  endpoints = new HttpsEndpoints({ allow: ["loopback"] });
});
afterEach(async () => {
  endpoints.close();
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

async function peerOf(server: Server | Http2Server): Promise<Peer> {
  const peer = await startServer(server as Server);
  peers.push(peer);
  return peer;
}

function http2Peer(onStream: (stream: ServerHttp2Stream, count: number) => void, streamsMax = 1000): Promise<Peer> {
  const server = createHttp2({ settings: { maxConcurrentStreams: streamsMax } });
  let count = 0;
  server.on("sessionError", () => {});
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.resume();
    onStream(stream, (count += 1));
  });
  return peerOf(server);
}

function answer(stream: ServerHttp2Stream, text: string): void {
  stream.respond({ ":status": 200 });
  stream.end(text);
}

const ask = (uri: string, change: Partial<ExchangeRequest> = {}): Exchange =>
  endpoints.open(requestTo(uri, "h2 in the clear", { body: [Buffer.from("hello")], ...change }));
const textOf = async (exchange: Exchange): Promise<string> => (await readAll(exchange)).toString();

describe("peers that speak something else", () => {
  test("Node's HTTP/1.1 server gives the reason http1-only", async () => {
    const { uri } = await peerOf(createHttp1((_request, response) => response.end("x")));
    const exchange = ask(uri);
    expect(await reasonOf(exchange.head())).toBe("http1-only");
    expect(await reasonOf(exchange.next())).toBe("http1-only");
  });

  test.each([
    "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n",
    "HTTP/1.0 505 No\r\n\r\nsorry",
    "<html>bad</html>",
  ])("a server that answers %j gives the reason http1-only", async (text) => {
    const { uri } = await peerOf(createTcp((socket) => void socket.once("data", () => socket.end(text))));
    expect(await reasonOf(ask(uri).head())).toBe("http1-only");
  });

  test("a server that only closes the connection gives the reason broken, each time on a new connection", async () => {
    const peer = await peerOf(createTcp((socket) => void socket.once("data", () => socket.end())));
    expect(await reasonOf(ask(peer.uri).head())).toBe("broken");
    expect(await reasonOf(ask(peer.uri).head())).toBe("broken");
    expect(peer.connections()).toBe(2);
  });

  test("an HTTP/2 server gives the reason broken over HTTP/1.1", async () => {
    const { uri } = await http2Peer((stream) => answer(stream, "x"));
    const exchange = endpoints.open(requestTo(uri, "http1.1 in the clear"));
    expect(await reasonOf(exchange.head())).toBe("broken");
  });
});

describe("peers that send GOAWAY", () => {
  test("an exchange under way completes, and the next one uses a new connection", async () => {
    let release: () => void = () => {};
    const peer = await http2Peer((stream, count) => {
      if (count > 1) return answer(stream, "second");
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
      stream.respond({ ":status": 200 });
      stream.write("fir");
      release = () => void stream.end("st");
    });
    const first = ask(peer.uri);
    expect(Buffer.from((await first.next()) ?? []).toString()).toBe("fir");
    expect(await textOf(ask(peer.uri))).toBe("second");
    release();
    expect(await textOf(first)).toBe("st");
    expect(peer.connections()).toBe(2);
  });

  test("a request that the GOAWAY leaves out is resent once on a new connection", async () => {
    const peer = await http2Peer((stream, count) => {
      if (count !== 2) return answer(stream, `answer ${count}`);
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1);
    });
    expect(await textOf(ask(peer.uri))).toBe("answer 1");
    expect(await textOf(ask(peer.uri))).toBe("answer 3");
    expect(peer.connections()).toBe(2);
  });

  test("a GOAWAY with an error breaks open exchanges, and the next one works", async () => {
    const peer = await http2Peer((stream, count) => {
      if (count > 1) answer(stream, "again");
      else stream.session?.destroy(new Error("bad"), constants.NGHTTP2_INTERNAL_ERROR);
    });
    expect(await reasonOf(ask(peer.uri).head())).toBe("broken");
    expect(await textOf(ask(peer.uri))).toBe("again");
  });
});

describe("peers that refuse and limit", () => {
  test("a refused request is resent once", async () => {
    const { uri } = await http2Peer((stream, count) => {
      if (count === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else answer(stream, `answer ${count}`);
    });
    expect(await textOf(ask(uri))).toBe("answer 2");
  });

  test("a request that is refused twice is broken", async () => {
    let asked = 0;
    const { uri } = await http2Peer((stream, count) => {
      asked = count;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    expect(await reasonOf(ask(uri).head())).toBe("broken");
    expect(asked).toBe(2);
  });

  test("a refused exchange with more later writes than are kept is not resent", async () => {
    let asked = 0;
    const { uri } = await http2Peer((stream, count) => {
      asked = count;
      stream.once("data", () => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    });
    const exchange = ask(uri, { halfClose: false });
    for (let at = 0; at < 2; at++) exchange.write(Buffer.alloc(1024 * 1024));
    expect(await reasonOf(exchange.head())).toBe("broken");
    expect(asked).toBe(1);
  });

  test("each connection respects the peer's limit, and a hundred exchanges queue for few streams", async () => {
    const open = new Map<unknown, number>();
    let mostPerConnection = 0;
    const peer = await http2Peer((stream) => {
      const running = (open.get(stream.session) ?? 0) + 1;
      open.set(stream.session, running);
      mostPerConnection = Math.max(mostPerConnection, running);
      const { session } = stream;
      stream.on("close", () => open.set(session, (open.get(session) ?? 0) - 1));
      setImmediate(() => answer(stream, "ok"));
    }, 2);
    expect(await textOf(ask(peer.uri))).toBe("ok");
    const answers = await Promise.all(Array.from({ length: 100 }, () => textOf(ask(peer.uri))));
    expect(answers.every((text) => text === "ok")).toBe(true);
    expect(mostPerConnection).toBeLessThanOrEqual(2);
    expect(peer.connections()).toBeLessThanOrEqual(16);
  });

  test("exchanges that stay open at the limit of streams do not block others", async () => {
    const { uri } = await http2Peer((stream) => {
      stream.respond({ ":status": 200 });
      stream.on("end", () => stream.end());
    }, 2);
    const held = Array.from({ length: 5 }, () => ask(uri, { halfClose: false }));
    for (const exchange of held) expect((await exchange.head()).status).toBe(200);
    for (const exchange of held) exchange.halfClose();
    for (const exchange of held) expect(await textOf(exchange)).toBe("");
  });
});

describe("on the wire", () => {
  test("the frame with the last bytes of the body ends the request, without a further empty frame", async () => {
    const frames: { type: number; flags: number; size: number }[] = [];
    let whole: () => void = () => {};
    const seen = new Promise<void>((resolve) => (whole = resolve));
    const { uri } = await peerOf(
      createTcp((socket: Socket) => {
        let bytes = Buffer.alloc(0);
        let skipped = false;
        socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
        socket.on("data", (part) => {
          bytes = Buffer.concat([bytes, part]);
          if (!skipped && bytes.length >= 24) {
            bytes = bytes.subarray(24);
            skipped = true;
          }
          while (skipped && bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
            const size = bytes.readUIntBE(0, 3);
            frames.push({ size, type: bytes[3] ?? -1, flags: bytes[4] ?? -1 });
            bytes = bytes.subarray(9 + size);
          }
          if (frames.some(({ type, flags }) => type === 0 && (flags & 1) === 1)) whole();
        });
      }),
    );
    const exchange = ask(uri, { body: [Buffer.from("hello "), Buffer.from("world")] });
    await seen;
    exchange.abort();
    expect(frames.filter(({ type }) => type === 0)).toEqual([{ type: 0, flags: 1, size: 11 }]);
  });

  test("an invalid header breaks only its own exchange", async () => {
    const { uri } = await http2Peer((stream) => answer(stream, "ok"));
    expect(await textOf(ask(uri))).toBe("ok");
    for (const version of ["h2 in the clear", "http1.1 in the clear"] as const) {
      const exchange = endpoints.open(requestTo(uri, version, { headers: { "x bad": "a" } }));
      expect(await reasonOf(exchange.head())).toBe("broken");
    }
    expect(await textOf(ask(uri, { headers: { connection: "close", host: "x", te: "y" } }))).toBe("ok");
  });

  test("trailers are ignored", async () => {
    const { uri } = await http2Peer((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-check": "1" }));
      stream.end("ok");
    });
    expect(await textOf(ask(uri))).toBe("ok");
  });
});
