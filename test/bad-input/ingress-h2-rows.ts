/** Bad input at the ingress over HTTP/2: hand-written frames, bodies that do not end, and a connection without requests. */
import { once } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";
import { exchange, frame, PREFACE } from "../harness/local/raw-http.ts";
import type { BadRow } from "./ingress-rows.ts";

const DATA = 0;
const RESET = 3;
const SETTINGS = 4;
const PING = 6;
const HEADERS = 1;
const CONTINUATION = 9;
const ECHO = { ":method": "POST", ":path": "/Greeter/echo", "content-type": "application/octet-stream" };

/** Sends the frames, and waits until the server ends the connection. */
function ended(...frames: readonly Buffer[]): BadRow[1] {
  return async (port) => {
    await exchange(port, PREFACE, frame(SETTINGS, 0, 0), ...frames);
  };
}

/** Uses one connection, and destroys it at the end. */
function session(act: (session: ClientHttp2Session) => Promise<void>): BadRow[1] {
  return async (port) => {
    const client = connect(`http://127.0.0.1:${port}`);
    client.on("error", () => undefined);
    try {
      await act(client);
    } finally {
      client.destroy();
    }
  };
}

/** A call that begins, sends a part of its body, and is cut off. */
function resetStream(stream: number): Buffer {
  const path = Buffer.from("/Greeter/headers");
  // POST, http, the authority "x" and a literal path, in HPACK.
  const fields = Buffer.concat([Buffer.from([0x83, 0x86, 0x01, 1, 0x78, 0x04, path.length]), path]);
  const cancelled = Buffer.from([0, 0, 0, 8]);
  return Buffer.concat([
    frame(HEADERS, 4, stream, fields),
    frame(DATA, 0, stream, Buffer.from("half of it")),
    frame(RESET, 0, stream, cancelled),
  ]);
}

const repeated = (times: number, one: Buffer): Buffer => Buffer.concat(Array<Buffer>(times).fill(one));

export const INGRESS_H2_ROWS: readonly BadRow[] = [
  ["a preface and nothing else", ended()],
  ["a preface and garbage", ended(Buffer.alloc(5_000, 0xff))],
  ["frames larger than allowed", ended(frame(DATA, 0, 1, Buffer.alloc(20_000)))],
  ["data for a stream that is not open", ended(frame(DATA, 0, 7, Buffer.alloc(10)))],
  ["headers that no decoder accepts", ended(frame(HEADERS, 4, 1, Buffer.alloc(100, 0xff)))],
  [
    "headers that go on for ever",
    ended(frame(HEADERS, 0, 1, Buffer.from([0x82])), repeated(20_000, frame(CONTINUATION, 0, 1, Buffer.alloc(100)))),
  ],
  ["100,000 pings", ended(repeated(100_000, frame(PING, 0, 0, Buffer.alloc(8))))],
  ["100,000 empty settings", ended(repeated(100_000, frame(SETTINGS, 0, 0)))],
  ["3,000 streams that are reset at once", ended(...Array.from({ length: 3_000 }, (_, at) => resetStream(2 * at + 1)))],
  [
    "200 bodies that do not end",
    session(async (client) => {
      const closed = Array.from({ length: 200 }, () => {
        const stream = client.request(ECHO);
        stream.on("error", () => undefined);
        stream.write("x");
        return once(stream, "close");
      });
      await Promise.all(closed);
    }),
  ],
  [
    "a connection without requests",
    session(async (client) => {
      await once(client, "close");
    }),
  ],
];
