/** Unusual requests, valid or nearly so, and the answers of the listener. */
import { once } from "node:events";
import { connect, constants } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openListener, type ArrivalLimits, type HttpListener } from "../../../functions/local/http-listener.ts";
import type { HttpRequest } from "../../../shared/api/http/message.ts";
import { askHttp2, exchange, head, openSocket, parseAnswers } from "../../harness/local/raw-http.ts";
import { SEEN_WITHIN } from "../../patience.ts";

/** More bytes than the operating system keeps in its buffers for a client that does not read. */
const LARGE = new Uint8Array(50_000_000).fill(97);
/** Longer than `unreadMs`, the limit for an answer that is not read. */
const SLOW_MS = 2_000;

let listener: HttpListener;
let asked: HttpRequest[];
beforeEach(async () => {
  asked = [];
  listener = await openWith({ unreadMs: 300 });
});
afterEach(() => listener.close());

function openWith(arrival: Partial<ArrivalLimits>): Promise<HttpListener> {
  return openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1000,
    arrival,
    tooLarge: () => ({ status: 413, headers: {}, body: new Uint8Array(0) }),
    answer: async (request) => {
      asked.push(request);
      if (request.path === "/slow") await sleep(SLOW_MS);
      return { status: 200, headers: {}, body: request.path === "/large" ? LARGE : request.body };
    },
  });
}

test("a request with thousands of headers arrives with all of them, also the last one", async () => {
  const line = "a:b\r\n";
  const text = `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${line.repeat(2_500)}idempotency-key: k\r\n\r\n`;
  expect(parseAnswers(await exchange(listener.port, text))[0]).toMatchObject({ status: 200 });
  expect(asked[0]!.headers).toMatchObject({ a: "b", "idempotency-key": "k" });
});

test("a request with two hosts is refused", async () => {
  const two = head("GET /", { host: "localhost\r\nhost: other" });
  const [answer] = parseAnswers(await exchange(listener.port, two));
  expect([answer!.status, answer!.body]).toEqual([400, "the request names two hosts"]);
  const uri = `http://127.0.0.1:${listener.port}`;
  const { headers } = await askHttp2(uri, { ":authority": "localhost", host: "other", ":path": "/" });
  expect(headers[":status"]).toBe(400);
  expect(asked).toEqual([]);
  await exchange(listener.port, head("GET /", { host: "localhost\r\nhost: localhost", connection: "close" }));
  expect(asked[0]!.headers["host"]).toBe("localhost");
});

test("an upgrade that is offered with a request is ignored, and the connection goes on", async () => {
  const offer = { connection: "upgrade, http2-settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQAAP__" };
  const socket = await openSocket(listener.port);
  let text = "";
  socket.on("data", (piece) => (text += piece.toString("latin1")));
  const answers = (count: number) => vi.waitFor(() => expect(parseAnswers(text)).toHaveLength(count), SEEN_WITHIN);
  socket.write(`${head("POST /one", { ...offer, "content-length": "3" })}abc`);
  await answers(1);
  socket.write(`${head("POST /two", { "content-length": "3" })}def`);
  await answers(2);
  socket.destroy();
  expect(parseAnswers(text).map(({ status, body }) => [status, body])).toEqual([
    [200, "abc"],
    [200, "def"],
  ]);
});

test("a large answer that is not read is soon dropped, over HTTP/1.1", async () => {
  const socket = await openSocket(listener.port);
  socket.pause().write(head("GET /large"));
  await vi.waitFor(() => expect(asked).toHaveLength(1), SEEN_WITHIN);
  await vi.waitFor(() => expect(listener.openRequests).toBe(0), SEEN_WITHIN);
  let read = 0;
  socket.on("data", (piece) => (read += piece.length)).resume();
  await once(socket, "close");
  expect(read).toBeLessThan(LARGE.length);
});

test("a large answer that is not read is soon dropped, over HTTP/2", async () => {
  const session = connect(`http://127.0.0.1:${listener.port}`);
  session.on("error", () => undefined);
  const stream = session.request({ ":path": "/large" }).on("error", () => undefined);
  await vi.waitFor(() => expect(asked).toHaveLength(1), SEEN_WITHIN);
  await vi.waitFor(() => expect(listener.openRequests).toBe(0), SEEN_WITHIN);
  // Only the reset code shows the client that the answer is incomplete.
  await vi.waitFor(() => expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL), SEEN_WITHIN);
  session.destroy();
});

test("large answers over one HTTP/2 connection arrive whole even if the client reads all of them slowly", async () => {
  const unreadMs = 1_000;
  listener.close();
  listener = await openWith({ unreadMs });
  const session = connect(`http://127.0.0.1:${listener.port}`);
  const read = async (): Promise<number> => {
    const stream = session.request({ ":path": "/large" });
    let size = 0;
    // Each reader pauses many times for a tenth of `unreadMs`, and takes longer than `unreadMs` in total.
    for await (const piece of stream as AsyncIterable<Buffer>) {
      const pauses = Math.floor((size + piece.length) / 2_000_000) - Math.floor(size / 2_000_000);
      size += piece.length;
      if (pauses > 0) await sleep(unreadMs / 10);
    }
    return size;
  };
  expect(await Promise.all([read(), read(), read(), read()])).toEqual(Array(4).fill(LARGE.length));
  session.destroy();
});

test("a large answer to HEAD is nothing but its head, over HTTP/2", async () => {
  const session = connect(`http://127.0.0.1:${listener.port}`);
  const stream = session.request({ ":method": "HEAD", ":path": "/large" }).resume();
  const [headers] = await once(stream, "response");
  expect(headers["content-length"]).toBe(String(LARGE.length));
  await vi.waitFor(() => expect(listener.openRequests).toBe(0), SEEN_WITHIN);
  session.destroy();
});

test("the time limit for reading a large answer does not apply to the next request of the connection", async () => {
  const text = await exchange(listener.port, head("GET /large"), head("GET /slow", { connection: "close" }));
  expect(parseAnswers(text).map(({ status, body }) => [status, body.length])).toEqual([
    [200, LARGE.length],
    [200, 0],
  ]);
});

test("a large answer that is read slowly, with pauses shorter than the limit, arrives whole", async () => {
  const socket = await openSocket(listener.port);
  let read = 0;
  socket.on("data", (piece) => {
    read += piece.length;
    if (read % 10_000_000 > piece.length) return;
    socket.pause();
    setTimeout(() => socket.resume(), 100);
  });
  socket.write(head("GET /large", { connection: "close" }));
  await once(socket, "close");
  expect(read).toBeGreaterThan(LARGE.length);
});
