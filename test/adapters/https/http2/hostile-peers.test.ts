/** Tests peers that break the rules of HTTP/2: some errors end one exchange, the others end the connection. */
import { describe, expect, test } from "vitest";
import type { Exchange, TransportError } from "../../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf } from "../../../contracts/endpoints-contract.ts";
import { ask, peerOf, withOwnClient } from "./own-client.ts";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  OK,
  PADDED,
  PRIORITY,
  TYPE,
  answer,
  field,
  frame,
  settings,
  uint32,
} from "./scripted-peer.ts";

withOwnClient();

const greet = (uri: string): Exchange => ask(uri, { body: [Buffer.from("hi")] });
const zeros = (size: number): Buffer => Buffer.alloc(size);
const repeated = (count: number, part: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => part));

const PROTOCOL = 1;
const FLOW_CONTROL = 3;
const STREAM_CLOSED = 5;
const FRAME_SIZE = 6;
const COMPRESSION = 9;
const CALM = 11;

const head = (block: Uint8Array, flags = END_HEADERS): Buffer => frame(TYPE.headers, flags, 1, block);
const OPEN = head(OK);
/** ":status: 103" */
const INFORM = Buffer.from([0x08, 0x03, 0x31, 0x30, 0x33]);
/** An informational head that ends the stream breaks the protocol, so this side resets the stream. */
const BROKEN_OFF = head(INFORM, END_HEADERS | END_STREAM);

/** The bytes that a peer sends after its settings and after the first request, which is on stream 1. */
const AGAINST_THE_CONNECTION: readonly (readonly [name: string, code: number, bytes: Buffer])[] = [
  ["a frame larger than allowed", FRAME_SIZE, frame(TYPE.data, 0, 1, zeros(16_385))],
  ["an unknown frame larger than allowed", FRAME_SIZE, frame(0xee, 0, 1, zeros(20_000))],
  ["content on no stream", PROTOCOL, frame(TYPE.data, 0, 0, zeros(1))],
  ["headers on no stream", PROTOCOL, frame(TYPE.headers, END_HEADERS, 0, OK)],
  ["a reset of no stream", PROTOCOL, frame(TYPE.reset, 0, 0, uint32(0))],
  ["a priority on no stream", PROTOCOL, frame(TYPE.priority, 0, 0, zeros(5))],
  ["content on a stream that was never opened", PROTOCOL, frame(TYPE.data, 0, 99, zeros(1))],
  ["headers on a stream of the peer's own", PROTOCOL, frame(TYPE.headers, END_HEADERS, 2, OK)],
  ["a reset of a stream that was never opened", PROTOCOL, frame(TYPE.reset, 0, 99, uint32(8))],
  ["a window for a stream that was never opened", PROTOCOL, frame(TYPE.window, 0, 99, uint32(8))],
  ["a push", PROTOCOL, frame(TYPE.push, END_HEADERS, 1, Buffer.concat([uint32(2), OK]))],
  ["settings on a stream", PROTOCOL, frame(TYPE.settings, 0, 1)],
  ["settings of a wrong size", FRAME_SIZE, frame(TYPE.settings, 0, 0, zeros(7))],
  ["an acknowledgement with content", FRAME_SIZE, frame(TYPE.settings, ACK, 0, zeros(6))],
  ["a setting to push", PROTOCOL, settings({ 2: 1 })],
  ["a window setting past all bounds", FLOW_CONTROL, settings({ 4: 0x80000000 })],
  ["a frame size setting that is too small", PROTOCOL, settings({ 5: 16_383 })],
  ["a frame size setting that is too large", PROTOCOL, settings({ 5: 0x1000000 })],
  ["a ping on a stream", PROTOCOL, frame(TYPE.ping, 0, 1, zeros(8))],
  ["a ping of a wrong size", FRAME_SIZE, frame(TYPE.ping, 0, 0, zeros(7))],
  ["a GOAWAY on a stream", PROTOCOL, frame(TYPE.goAway, 0, 1, zeros(8))],
  ["a GOAWAY of a wrong size", FRAME_SIZE, frame(TYPE.goAway, 0, 0, zeros(7))],
  ["a reset of a wrong size", FRAME_SIZE, frame(TYPE.reset, 0, 1, zeros(5))],
  ["a window of a wrong size", FRAME_SIZE, frame(TYPE.window, 0, 0, zeros(3))],
  ["a window update of 0 bytes", PROTOCOL, frame(TYPE.window, 0, 0, uint32(0))],
  ["a window past all bounds", FLOW_CONTROL, frame(TYPE.window, 0, 0, uint32(0x7fffffff))],
  [
    "a setting that lifts a window past all bounds",
    FLOW_CONTROL,
    Buffer.concat([frame(TYPE.window, 0, 1, uint32(0x7fffffff - 65_533)), settings({ 4: 0x7fffffff })]),
  ],
  ["a padding longer than its frame", PROTOCOL, frame(TYPE.data, PADDED, 1, Buffer.from([3, 0, 0]))],
  ["a padding that is not there", FRAME_SIZE, frame(TYPE.data, PADDED, 1)],
  ["a head too short for its priority", FRAME_SIZE, head(zeros(4), END_HEADERS | PRIORITY)],
  ["a continuation of nothing", PROTOCOL, frame(TYPE.continuation, END_HEADERS, 1, OK)],
  ["a ping inside of a head", PROTOCOL, Buffer.concat([head(OK, 0), frame(TYPE.ping, 0, 0, zeros(8))])],
  ["a continuation on another stream", PROTOCOL, Buffer.concat([head(OK, 0), frame(TYPE.continuation, 4, 3, OK)])],
  ["an unknown frame inside of a head", PROTOCOL, Buffer.concat([head(OK, 0), frame(0xee, 0, 1)])],
  ["continuations without end", CALM, Buffer.concat([head(OK, 0), repeated(70, frame(TYPE.continuation, 0, 1))])],
  [
    "a head of a hundred kilobytes",
    CALM,
    Buffer.concat([head(OK, 0), repeated(7, frame(TYPE.continuation, 0, 1, zeros(16_000)))]),
  ],
  ["a reference to a dynamic entry", COMPRESSION, head(Buffer.from([0x80 | 62]))],
  ["a reference to entry 0", COMPRESSION, head(Buffer.from([0x80]))],
  ["a table that grows", COMPRESSION, head(Buffer.from([0x21, 0x88]))],
  ["a table that changes inside of a block", COMPRESSION, head(Buffer.from([0x88, 0x20]))],
  ["a number without end", COMPRESSION, head(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]))],
  ["a text longer than its block", COMPRESSION, head(Buffer.from([0x88, 0x00, 0x05, 0x61]))],
  ["a field cut off", COMPRESSION, head(Buffer.from([0x88, 0x00, 0x01, 0x61]))],
  ["the end mark of Huffman's code", COMPRESSION, head(Buffer.from([0x88, 0, 1, 0x61, 0x84, 0xff, 0xff, 0xff, 0xff]))],
  ["a Huffman padding of zeros", COMPRESSION, head(Buffer.from([0x88, 0, 1, 0x61, 0x81, 0b00011000]))],
  ["content behind its end", STREAM_CLOSED, Buffer.concat([answer(1, "x"), frame(TYPE.data, 0, 1, zeros(1))])],
  ["headers behind their end", STREAM_CLOSED, Buffer.concat([answer(1, "x"), OPEN])],
  ["a flood of pings", CALM, repeated(10_001, frame(TYPE.ping, ACK, 0, zeros(8)))],
  ["a flood of settings", CALM, repeated(10_001, settings())],
  ["a flood of frames without content", CALM, Buffer.concat([OPEN, repeated(10_001, frame(TYPE.data, 0, 1))])],
  ["a flood of informational heads", CALM, repeated(1_001, head(INFORM))],
  ["a flood of informational heads after a reset", CALM, Buffer.concat([BROKEN_OFF, repeated(1_001, head(INFORM))])],
  [
    "a flood of content after a reset",
    CALM,
    Buffer.concat([BROKEN_OFF, repeated(10_001, frame(TYPE.data, 0, 1, zeros(1)))]),
  ],
  ["a flood of unknown frames", CALM, repeated(10_001, frame(0xee, 0, 0))],
];

describe("an error that ends the connection", () => {
  test.each(AGAINST_THE_CONNECTION)(
    "%s ends the connection with code %i, and the next exchange uses a new one",
    async (...row) => {
      const [name, code, bytes] = row;
      let said = -1;
      let over: Promise<void> | undefined;
      const peer = await peerOf(async (connection, count) => {
        connection.send(settings());
        await connection.request();
        if (count > 1) return connection.send(answer(1, "fine"));
        over = connection.closed;
        connection.send(bytes);
        said = (await connection.next(TYPE.goAway)).payload.readUInt32BE(4);
      });
      const exchange = greet(peer.uri);
      const outcome = await readAll(exchange).then(String, () => reasonOf(exchange.next()));
      const expected = code === CALM && !name.includes("after a reset") ? "flood" : "broken";
      expect(outcome).toBe(name.endsWith("behind its end") || name.endsWith("behind their end") ? "x" : expected);
      // If the exchange ended regularly, the next request could use this connection before the client reads the bytes that break
      // the rules, so the test waits for the end of the connection.
      await over;
      expect(said).toBe(code);
      expect((await readAll(greet(peer.uri))).toString()).toBe("fine");
      expect(peer.connections()).toBe(2);
    },
  );

  test("a peer that pings without reading the answers is disconnected", async () => {
    let asked = 0;
    const { uri } = await peerOf(async (connection) => {
      connection.send(settings());
      await connection.request();
      connection.socket.pause();
      connection.send(OPEN);
      const many = repeated(500, frame(TYPE.ping, 0, 0, zeros(8)));
      // Content in between keeps the peer below the limit for frames without effect.
      for (; !connection.socket.destroyed && asked < 4_000; asked += 1) {
        const more = connection.socket.write(Buffer.concat([frame(TYPE.data, 0, 1, zeros(1)), many]));
        if (!more) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    expect(await reasonOf(readAll(greet(uri)))).toBe("flood");
    expect(asked).toBeLessThan(4_000);
  });

  test("a peer that floods with informational heads is disconnected; exchanges with another peer succeed", async () => {
    let rounds = 0;
    const many = repeated(200, head(INFORM));
    const { uri } = await peerOf(async (connection) => {
      connection.send(settings());
      await connection.request();
      for (; !connection.socket.destroyed && rounds < 5_000; rounds += 1) {
        connection.send(many);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const good = await peerOf(async (connection) => {
      connection.send(settings());
      for (;;) connection.send(answer(await connection.request(), "fine"));
    });
    const left = reasonOf(greet(uri).head());
    for (let at = 0; at < 20; at += 1) expect((await readAll(greet(good.uri))).toString()).toBe("fine");
    expect(await left).toBe("flood");
    expect(rounds).toBeLessThan(5_000);
  });
});

const status = (text: string): Buffer => Buffer.concat([Buffer.from([0x08, text.length]), Buffer.from(text)]);
const withField = (name: string, value: string): Buffer => head(Buffer.concat([OK, field(name, value)]));
const data = (size: number, flags = 0): Buffer => frame(TYPE.data, flags, 1, zeros(size));

const AGAINST_THE_EXCHANGE: readonly (readonly [name: string, code: number, bytes: Buffer])[] = [
  ["content before its head", PROTOCOL, data(1)],
  ["a head without a status", PROTOCOL, head(field("a", "b"))],
  ["a head whose status comes later", PROTOCOL, head(Buffer.concat([field("a", "b"), OK]))],
  ["a head with two statuses", PROTOCOL, head(Buffer.concat([OK, OK]))],
  ["a status that is not a number", PROTOCOL, head(status("2x0"))],
  ["a head of a request", PROTOCOL, head(Buffer.concat([OK, Buffer.from([0x82])]))],
  ["a name with a capital", PROTOCOL, withField("X-a", "b")],
  ["a name that is empty", PROTOCOL, withField("", "b")],
  ["a value with a line break", PROTOCOL, withField("a", "b\r\nc: d")],
  ["a field of the connection", PROTOCOL, withField("connection", "close")],
  ["a length that is no number", PROTOCOL, withField("content-length", "-1")],
  ["two lengths", PROTOCOL, head(Buffer.concat([OK, field("content-length", "1"), field("content-length", "2")]))],
  ["more content than said", PROTOCOL, Buffer.concat([withField("content-length", "1"), data(2)])],
  ["less content than said", PROTOCOL, Buffer.concat([withField("content-length", "3"), data(2, END_STREAM)])],
  ["a second head", PROTOCOL, Buffer.concat([OPEN, OPEN])],
  ["trailers with a status", PROTOCOL, Buffer.concat([OPEN, head(OK, END_HEADERS | END_STREAM)])],
  ["a change of the protocol", PROTOCOL, head(status("101"))],
  ["an informational head that ends the stream", PROTOCOL, head(INFORM, END_HEADERS | END_STREAM)],
  ["a bomb of headers", PROTOCOL, head(repeated(15_000, Buffer.from([0x88])))],
  ["a window update of 0 bytes for the stream", PROTOCOL, frame(TYPE.window, 0, 1, uint32(0))],
  ["a window of the stream past all bounds", FLOW_CONTROL, frame(TYPE.window, 0, 1, uint32(0x7fffffff))],
  ["a priority of a wrong size", FRAME_SIZE, frame(TYPE.priority, 0, 1, zeros(4))],
];

describe("an error that ends one exchange", () => {
  test.each(AGAINST_THE_EXCHANGE)(
    "%s resets the stream with code %i, and the next exchange uses the same connection",
    async (...row) => {
      const [, code, bytes] = row;
      let said = -1;
      const peer = await peerOf(async (connection) => {
        connection.send(settings());
        await connection.request();
        connection.send(bytes);
        said = (await connection.next(TYPE.reset, ({ streamId }) => streamId === 1)).payload.readUInt32BE(0);
        // Frames that were under way at the reset are tolerated.
        connection.send(OPEN, data(10));
        connection.send(answer(await connection.request(), "fine"));
      });
      const exchange = greet(peer.uri);
      await readAll(exchange).catch(() => undefined);
      expect(await reasonOf(exchange.next())).toBe("broken");
      expect((await readAll(greet(peer.uri))).toString()).toBe("fine");
      expect(said).toBe(code);
      expect(peer.connections()).toBe(1);
    },
  );

  test("content beyond the stream's window resets the stream while the reader is slow", async () => {
    let said = -1;
    const { uri } = await peerOf(async (connection) => {
      connection.send(settings());
      await connection.request();
      connection.send(OPEN, ...Array.from({ length: 140 }, () => data(16_384)));
      said = (await connection.next(TYPE.reset)).payload.readUInt32BE(0);
      connection.send(answer(await connection.request(), "fine"));
    });
    const exchange = greet(uri);
    await exchange.head();
    while (said < 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await readAll(exchange).catch((error: TransportError) => error.reason)).toBe("broken");
    expect(said).toBe(FLOW_CONTROL);
    expect((await readAll(greet(uri))).toString()).toBe("fine");
  });
});
