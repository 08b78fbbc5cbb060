/** Tests that no status, header or frame of a deployment redirects a request. */
import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import { readAll, requestTo } from "../../contracts/endpoints-contract.ts";
import { PEER_KINDS, startPeer, startServer, testCa, type Peer } from "../../harness/https/peer.ts";

/** A connection to this server means that the client followed an address in an answer. */
let elsewhere: Peer;
let endpoints: HttpsEndpoints;
const peers: Peer[] = [];
beforeEach(async () => {
  elsewhere = await startServer(createServer((socket) => socket.destroy()));
  endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa });
});
afterEach(async () => {
  endpoints.close();
  await elsewhere.stop();
  for (const peer of peers.splice(0)) await peer.stop();
});

const STATUSES = [201, 300, 301, 302, 303, 305, 307, 308] as const;

test.each(PEER_KINDS)("a redirect of any status is an ordinary answer, over %s", async (kind) => {
  let status = 200;
  const { port } = elsewhere;
  const pointers = {
    location: `http://127.0.0.1:${port}/`,
    "content-location": `http://127.0.0.1:${port}/`,
    refresh: `0; url=http://127.0.0.1:${port}/`,
    link: `<http://127.0.0.1:${port}/>; rel=preconnect`,
    "alt-svc": `h2="127.0.0.1:${port}"; persist=1, http/1.1="127.0.0.1:${port}"`,
    "retry-after": "0",
  };
  const peer = await startPeer(kind, (request, response) => {
    request.resume().once("end", () => response.writeHead(status, pointers).end("here"));
  });
  peers.push(peer);
  const uri = peer.uri;
  for (status of STATUSES) {
    const exchange = endpoints.open(requestTo(uri, kind, { body: [Buffer.from("secret")] }));
    const head = await exchange.head();
    expect([head.status, head.headers["location"], String(await readAll(exchange))]).toEqual([
      status,
      pointers.location,
      "here",
    ]);
  }
  // Later requests go to the same peer.
  expect((await endpoints.open(requestTo(uri, kind)).head()).status).toBe(308);
  await pause(50);
  expect(elsewhere.connections()).toBe(0);
});

test("frames that name other services and origins have no effect, and push is disabled", async () => {
  const pushed: string[] = [];
  const server = createHttp2();
  server.on("session", (session: ServerHttp2Session) => {
    session.altsvc(`h2="127.0.0.1:${elsewhere.port}"`, "http://127.0.0.1");
    session.origin(`https://127.0.0.1:${elsewhere.port}`);
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    pushed.push(String(stream.pushAllowed));
    stream.respond({ ":status": 200 });
    stream.end("ok");
  });
  const peer = await startServer(server);
  peers.push(peer);
  for (let times = 0; times < 3; times++) {
    const exchange = endpoints.open(requestTo(peer.uri, "h2 in the clear"));
    expect(String(await readAll(exchange))).toBe("ok");
  }
  expect(new Set(pushed)).toEqual(new Set(["false"]));
  expect(elsewhere.connections()).toBe(0);
});

test("an answer with a protocol switch breaks the exchange", async () => {
  const server = createHttp1();
  server.on("connection", (socket) => {
    socket.on("data", () =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nGET / HTTP/1.1\r\n"),
    );
  });
  const peer = await startServer(server);
  peers.push(peer);
  const exchange = endpoints.open(requestTo(peer.uri, "http1.1 in the clear"));
  await expect(exchange.head()).rejects.toThrow("broke");
});
