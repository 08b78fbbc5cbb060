import { once } from "node:events";
import { connect } from "node:http2";
import type { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { openListener, type HttpListener } from "../../../functions/local/http-listener.ts";
import { jsonResponse, type HttpRequest } from "../../../shared/api/http/message.ts";
import { frame, openSocket, PREFACE } from "../../harness/local/raw-http.ts";
import { SEEN_WITHIN } from "../../patience.ts";

const [DATA, HEADERS, RESET, SETTINGS] = [0, 1, 3, 4];
const [STREAM_ENDED, HEADERS_ENDED] = [1, 4];

let listener: HttpListener | undefined;
afterEach(() => listener?.close());

async function answering(status: number, onRequest?: (request: HttpRequest) => void): Promise<HttpListener> {
  listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1000,
    tooLarge: () => jsonResponse(413, {}),
    answer: async (request) => {
      onRequest?.(request);
      return jsonResponse(status, { code: status });
    },
  });
  return listener;
}

test.each([
  [599, 599],
  [600, 500],
  [999, 500],
])("a status of %i goes out over HTTP/2 as %i, and the body keeps the original status", async (status, sent) => {
  const { port } = await answering(status);
  const client = connect(`http://127.0.0.1:${port}`);
  const stream = client.request({ ":path": "/" });
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  let body = "";
  for await (const piece of stream) body += String(piece);
  client.close();
  expect(headers[":status"]).toBe(sent);
  expect(JSON.parse(body)).toEqual({ code: status });
});

test("a status above 599 goes out over HTTP/1.1 as it is", async () => {
  const { port } = await answering(799);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(799);
});

// 16 KiB is the longest body that goes out in one piece with its head.
test.each([0, 1, 256, 16 * 1024, 16 * 1024 + 1])("a body of %i bytes of any value arrives as it is", async (size) => {
  const body = Uint8Array.from({ length: size }, (_, at) => at % 256);
  listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 0,
    tooLarge: () => jsonResponse(413, {}),
    answer: async () => ({ status: 200, headers: { "content-type": "application/octet-stream" }, body }),
  });
  const response = await fetch(`http://127.0.0.1:${listener.port}/`);
  expect(response.headers.get("content-length")).toBe(String(size));
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
});

/**
 * The beginning of a connection with a request for "/" from the authority "x".
 * @param flags the flags of the frame with the headers
 */
function begun(flags: number): Buffer {
  // POST, http, the path and the authority, in HPACK.
  const fields = Buffer.from([0x83, 0x86, 0x84, 0x01, 1, 0x78]);
  return Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, 0), frame(HEADERS, flags, 1, fields)]);
}

const hasOpen = (opened: HttpListener, requests: number): Promise<void> =>
  vi.waitFor(() => expect(opened.openRequests).toBe(requests), { ...SEEN_WITHIN, interval: 5 });

test.each([
  ["stream", frame(RESET, 0, 1, Buffer.from([0, 0, 0, 8]))],
  ["connection", undefined],
])("a request over HTTP/2 is dropped if its %s breaks off in the middle of the body", async (_what, cut) => {
  const asked: string[] = [];
  const opened = await answering(200, (request) => asked.push(new TextDecoder().decode(request.body)));
  const socket = await openSocket(opened.port);
  socket.resume().write(Buffer.concat([begun(HEADERS_ENDED), frame(DATA, 0, 1, Buffer.from("half of it"))]));
  await hasOpen(opened, 1);
  if (cut === undefined) socket.destroy();
  else socket.write(cut);
  await hasOpen(opened, 0);
  socket.destroy();
  const whole = await fetch(`http://127.0.0.1:${opened.port}/`, { method: "POST", body: "all of it" });
  expect([whole.status, asked]).toEqual([200, ["all of it"]]);
});

test.each([
  ["ended its connection", (socket: Socket) => socket.end()],
  ["reset its connection", (socket: Socket) => socket.resetAndDestroy()],
])("a request over HTTP/2 whose caller has %s is aborted", async (_what, leave) => {
  const opened = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 0,
    tooLarge: () => jsonResponse(413, {}),
    answer: async ({ signal }) => {
      await once(signal!, "abort");
      return jsonResponse(499, {});
    },
  });
  listener = opened;
  const socket = await openSocket(opened.port);
  socket.resume().write(begun(HEADERS_ENDED | STREAM_ENDED));
  await hasOpen(opened, 1);
  leave(socket);
  await hasOpen(opened, 0);
});
