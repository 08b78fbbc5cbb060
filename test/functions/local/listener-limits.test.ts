/** The limits of a listener that Node brings: each is a setting or gone, and what exceeds one gets an answer with the usual body. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { ConnectionRoom, connectionsMax } from "../../../functions/local/connection-room.ts";
import { openListener, type HttpListener, type ListenerOptions } from "../../../functions/local/http-listener.ts";
import type { HttpRequest } from "../../../shared/api/http/message.ts";
import { jsonResponse } from "../../../shared/api/http/message.ts";
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

test("a request that has ended leaves its connection idle again", () => {
  const room = new ConnectionRoom(1);
  const destroyed: number[] = [];
  const socketOf = (remotePort: number) =>
    ({ remoteAddress: "a", remotePort, once: () => undefined, destroy: () => destroyed.push(remotePort) }) as never;
  expect(room.admit(socketOf(1))).toBe(true);
  const [first, second] = [room.began(socketOf(1)), room.began(socketOf(1))];
  first();
  expect(room.admit(socketOf(2))).toBe(false);
  second();
  expect(room.admit(socketOf(2))).toBe(true);
  expect(destroyed).toEqual([1]);
});

test.each([
  [Infinity, 10_000],
  [1_048_576, 10_000],
  [400, 133],
  [2, 1],
])("with %s files, a listener has %i connections by default", (files, expected) => {
  expect(connectionsMax(files)).toBe(expected);
});
