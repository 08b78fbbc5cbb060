/** The limits of a listener that Node brings: each is a setting or gone, and what exceeds one gets an answer with the usual body. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { ConnectionRoom, connectionsMax, networkOf } from "../../../functions/local/connection-room.ts";
import { openListener, type HttpListener, type ListenerOptions } from "../../../functions/local/http-listener.ts";
import { jsonResponse, type HttpRequest } from "../../../shared/api/http/message.ts";
import { refusalResponse } from "../../../shared/api/ingress/answers.ts";
import { ask, askHttp2, exchange, head, nextAnswer, openSocket, parseAnswers } from "../../harness/local/raw-http.ts";
import { SEEN_WITHIN } from "../../patience.ts";

let listener: HttpListener | undefined;
let goOn: () => void = () => {};
afterEach(() => {
  goOn();
  listener?.close();
});

async function open(options: Partial<ListenerOptions> = {}): Promise<{ port: number; asked: HttpRequest[] }> {
  const asked: HttpRequest[] = [];
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1000,
    tooLarge: () => jsonResponse(413, {}),
    malformed: refusalResponse,
    answer: async (request) => {
      asked.push(request);
      if (request.path === "/slow") await gate;
      return jsonResponse(200, { big: request.headers["x-big"]?.length ?? 0 });
    },
    ...options,
  });
  return { port: listener.port, asked };
}

const refusal = (code: number, words: RegExp) => [
  code,
  { code, source: "ingress", message: expect.stringMatching(words) },
  "close",
];
const told = (text: string) => {
  const [{ status, headers, body } = { status: 0, headers: {}, body: "null" }] = parseAnswers(text);
  return [status, JSON.parse(body) as unknown, (headers as Record<string, string>)["connection"]];
};

test.each([8_000, 17_000, 60_000])("a header of %i bytes arrives over HTTP/1.1 and over HTTP/2", async (bytes) => {
  const { port } = await open();
  const big = "v".repeat(bytes);
  const { body } = await ask(port, "GET /", { "x-big": big, connection: "close" });
  expect(JSON.parse(body)).toEqual({ big: bytes });
  const over2 = await askHttp2(`http://127.0.0.1:${port}`, { ":path": "/", "x-big": big });
  expect([over2.headers[":status"], JSON.parse(over2.body)]).toEqual([200, { big: bytes }]);
});

test("three hundred headers arrive over HTTP/2", async () => {
  const { port, asked } = await open();
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, String(at)]));
  const { headers } = await askHttp2(`http://127.0.0.1:${port}`, { ":path": "/", ...many });
  expect(headers[":status"]).toBe(200);
  expect(asked[0]!.headers).toMatchObject({ "x-0": "0", "x-299": "299" });
});

test.each([
  ["a header", head("GET /", { "x-big": "v".repeat(70_000) })],
  ["an address", head(`GET /${"p".repeat(70_000)}`)],
  ["the headers", head("GET /", Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`x-${at}`, "v"])))],
])("%s above the limit gets 431 with the usual body, which names the setting", async (_, text) => {
  const { port, asked } = await open();
  const words = /more than 65536 bytes together \(listeners\.headers-size-limit\)/;
  expect(told(await exchange(port, text))).toEqual(refusal(431, words));
  expect(asked).toEqual([]);
});

test("the limit of headers is the setting's", async () => {
  const { port } = await open({ headMaxBytes: 200_000 });
  const { body } = await ask(port, "GET /", { "x-big": "v".repeat(150_000), connection: "close" });
  expect(JSON.parse(body)).toEqual({ big: 150_000 });
});

test.each([
  ["bytes that are no request", "\u0001\u0002\u0003 nonsense\r\n\r\n", 400, /no HTTP request/],
  ["an unknown expectation", "GET / HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n", 417, /no expectation but 100/],
  ["a request without a host", "GET / HTTP/1.1\r\n\r\n", 400, /names no host/],
  ["a head that does not arrive in time", "GET / HTTP/1.1\r\nhost: x\r\n", 408, /did not arrive in time/],
] as const)("%s gets the usual body", async (_, text, status, words) => {
  const { port } = await open({ arrival: { headWithinMs: 200, requestWithinMs: 400, checkEveryMs: 20 } });
  expect(told(await exchange(port, text))).toEqual(refusal(status, words));
});

const connections = async (port: number, count: number): Promise<Socket[]> => {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) sockets.push(await openSocket(port));
  return sockets;
};

test("a client that holds all connections without a request keeps out no other client", async () => {
  const { port } = await open({ connectionsMax: 5 });
  const held = await connections(port, 30);
  await vi.waitFor(() => expect(held.filter(({ closed }) => !closed).length).toBeLessThan(6), SEEN_WITHIN);
  const { status } = await ask(port, "GET /", { connection: "close" });
  expect(status).toBe(200);
  for (const socket of held) socket.destroy();
});

test.each(["HTTP/1.1", "HTTP/2"])("a connection with a request over %s keeps its place", async (version) => {
  const { port, asked } = await open({ connectionsMax: 2 });
  const slow =
    version === "HTTP/2"
      ? askHttp2(`http://127.0.0.1:${port}`, { ":path": "/slow" }).then(({ headers }) => headers[":status"])
      : ask(port, "GET /slow", { connection: "close" }).then(({ status }) => status);
  await vi.waitFor(() => expect(asked).toHaveLength(1), SEEN_WITHIN);
  const held = await connections(port, 10);
  await vi.waitFor(() => expect(held.filter(({ closed }) => !closed)).toHaveLength(1), SEEN_WITHIN);
  goOn();
  expect(await slow).toBe(200);
  for (const socket of held) socket.destroy();
});

test("if every connection has a request, a further one gets 503 with the usual body", async () => {
  const { port, asked } = await open({ connectionsMax: 1 });
  const socket = await openSocket(port);
  socket.write(head("GET /slow"));
  await vi.waitFor(() => expect(asked).toHaveLength(1), SEEN_WITHIN);
  const words = /listeners\.connections-limit/;
  expect(told(await exchange(port, head("GET /")))).toEqual(refusal(503, words));
  goOn();
  expect((await nextAnswer(socket)).status).toBe(200);
  socket.destroy();
  await once(socket, "close");
});

/** A room over sockets that only have addresses. */
function roomOf(max: number) {
  let nowMs = 0;
  const room = new ConnectionRoom(max, () => nowMs);
  const destroyed: number[] = [];
  const socketOf = (remotePort: number, remoteAddress = "192.0.2.1") => {
    const closing: (() => void)[] = [];
    const once = (_: string, closed: () => void) => void closing.push(closed);
    const destroy = () => {
      destroyed.push(remotePort);
      for (const closed of closing) closed();
    };
    return { remoteAddress, remotePort, once, destroy } as never;
  };
  return { room, destroyed, socketOf, later: (ms: number) => void (nowMs += ms) };
}

test("a request that has ended leaves its connection idle again", () => {
  const { room, destroyed, socketOf } = roomOf(1);
  expect(room.admit(socketOf(1))).toBe(true);
  const [first, second] = [room.began(socketOf(1)), room.began(socketOf(1))];
  first.arrived();
  first.ended();
  expect(room.admit(socketOf(2))).toBe(false);
  second.ended();
  expect(room.admit(socketOf(2))).toBe(true);
  expect(destroyed).toEqual([1]);
});

test("a connection whose request does not arrive within five seconds gives its place up, and one that waits for its answer does not", () => {
  const { room, destroyed, socketOf, later } = roomOf(3);
  for (const port of [1, 2, 3]) room.admit(socketOf(port));
  room.began(socketOf(1)).arrived();
  room.began(socketOf(2));
  later(1_000);
  room.began(socketOf(3));
  expect(room.admit(socketOf(4))).toBe(false);
  later(4_000);
  expect(room.admit(socketOf(4))).toBe(true);
  room.began(socketOf(4)).arrived();
  expect(room.admit(socketOf(5))).toBe(false);
  later(1_000);
  expect(room.admit(socketOf(5))).toBe(true);
  expect(destroyed).toEqual([2, 3]);
});

test("a client that has taken every place with requests leaves other clients their share", () => {
  const { room, destroyed, socketOf } = roomOf(10);
  const take = (port: number, address: string): boolean => {
    const isIn = room.admit(socketOf(port, address));
    if (isIn) room.began(socketOf(port, address)).arrived();
    return isIn;
  };
  for (let port = 0; port < 10; port++) expect(take(port, "2001:db8:0:1::7")).toBe(true);
  // Further addresses of its network are no further clients.
  expect(take(20, "2001:db8::1:0:0:0:9")).toBe(false);
  const others = Array.from({ length: 8 }, (_, n) => take(100 + n, "198.51.100.7"));
  expect(others).toEqual([true, true, true, true, true, false, false, false]);
  expect(destroyed).toHaveLength(5);
  expect(take(200, "198.51.100.8")).toBe(true);
});

test.each([
  ["127.0.0.1", "this machine"],
  ["127.8.0.1", "this machine"],
  ["::1", "this machine"],
  ["::ffff:127.0.0.1", "this machine"],
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:db8:0:0:9::1", "2001:db8:0:0"],
  ["2001:db8:0:1::1", "2001:db8:0:1"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::", "0:0:0:0"],
])("the address %s is one of the client %s", (address, client) => {
  expect(networkOf(address)).toBe(client);
});

test("requests whose bodies trickle keep no other client out", async () => {
  const { port } = await open({ connectionsMax: 3 });
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  const held = await connections(port, 3);
  for (const socket of held) socket.write(`${head("POST /", { "content-length": "100" })}x`);
  await vi.waitFor(() => expect(listener!.openRequests).toBe(3), SEEN_WITHIN);
  expect((await ask(port, "GET /", { connection: "close" })).status).toBe(503);
  vi.mocked(performance.now).mockReturnValue(6_000);
  expect((await ask(port, "GET /", { connection: "close" })).status).toBe(200);
  await vi.waitFor(() => expect(held.filter(({ closed }) => closed)).toHaveLength(1), SEEN_WITHIN);
  for (const socket of held) socket.destroy();
  vi.restoreAllMocks();
});

test.each([
  [Infinity, 10_000],
  [1_048_576, 10_000],
  [400, 133],
  [2, 1],
])("with %s files, a listener has %i connections by default", (files, expected) => {
  expect(connectionsMax(files)).toBe(expected);
});
