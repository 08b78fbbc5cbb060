/** Tests the frames that the client sends: windows, frame sizes, continuations, resets and pings. */
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../../shared/engine/ports/endpoints.ts";
import { pattern, readAll } from "../../../contracts/endpoints-contract.ts";
import { ask, peerInHand, withOwnClient } from "./own-client.ts";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  TYPE,
  answer,
  field,
  frame,
  settings,
  uint32,
  type Frame,
  type ScriptedConnection,
} from "./scripted-peer.ts";

const MIB = 1024 * 1024;
const WINDOW_MAX = 0x7fffffff;

withOwnClient();
const textOf = async (exchange: Exchange): Promise<string> => (await readAll(exchange)).toString();
const contentOf = (frames: readonly Frame[], streamId: number): Buffer =>
  Buffer.concat(
    frames.filter((one) => one.type === TYPE.data && one.streamId === streamId).map(({ payload }) => payload),
  );
/** Sends a ping and waits for its answer, which proves that all earlier frames have arrived. */
async function settled(connection: ScriptedConnection): Promise<void> {
  const mark = uint32(7, connection.frames.length);
  connection.send(frame(TYPE.ping, 0, 0, mark));
  await connection.next(TYPE.ping, ({ flags, payload }) => flags === ACK && payload.equals(mark));
}
/** Counts the content bytes that have arrived on a stream so far. */
async function contentBytes(connection: ScriptedConnection, streamId: number): Promise<number> {
  await settled(connection);
  return contentOf(connection.frames, streamId).length;
}

describe("frames that we send", () => {
  test("the preface disables push and the header table, and opens a wide window for the connection alone", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    const ours = await connection.next(TYPE.settings);
    const said = new Map<number, number>();
    for (let at = 0; at < ours.payload.length; at += 6) {
      said.set(ours.payload.readUInt16BE(at), ours.payload.readUInt32BE(at + 2));
    }
    expect(said.get(1)).toBe(0);
    expect(said.get(2)).toBe(0);
    expect(said.get(4)).toBe(32 * 1024);
    expect((await connection.next(TYPE.window)).payload.readUInt32BE(0)).toBe(16 * 1024 * 1024 - 65_535);
    connection.send(settings({ 3: 7 }), answer(await connection.request(), "x"));
    expect(await textOf(exchange)).toBe("x");
    expect(await connection.next(TYPE.settings)).toMatchObject({ flags: ACK, streamId: 0 });
  });

  test("the client sends exactly as many bytes of a body as the windows of the stream and of the connection allow", async () => {
    const { uri, connected } = await peerInHand();
    const body = pattern(100_000);
    const exchange = ask(uri, { body: [body] });
    const connection = await connected;
    connection.send(settings({ 4: 10 }));
    const id = await connection.request();
    expect(await contentBytes(connection, id)).toBe(65_535);
    // The setting arrives after 65,535 bytes were sent, so the stream's window is far below zero.
    connection.send(frame(TYPE.window, 0, 0, uint32(20_000)), frame(TYPE.window, 0, id, uint32(65_525)));
    expect(await contentBytes(connection, id)).toBe(65_535);
    connection.send(frame(TYPE.window, 0, id, uint32(5)));
    expect(await contentBytes(connection, id)).toBe(65_540);
    connection.send(settings({ 4: 30_010 }));
    expect(await contentBytes(connection, id)).toBe(85_535);
    connection.send(frame(TYPE.window, 0, 0, uint32(1_000_000)));
    expect(await contentBytes(connection, id)).toBe(95_540);
    expect(connection.frames.filter(({ type, flags }) => type === TYPE.data && flags === END_STREAM)).toEqual([]);
    connection.send(frame(TYPE.window, 0, id, uint32(1_000_000)));
    expect(await contentBytes(connection, id)).toBe(100_000);
    expect(contentOf(connection.frames, id).equals(body)).toBe(true);
    expect(connection.frames.findLast(({ type }) => type === TYPE.data)?.flags).toBe(END_STREAM);
    connection.send(answer(id, "done"));
    expect(await textOf(exchange)).toBe("done");
  });

  test("bodies that share a narrow window take turns, and an end without content needs no window", async () => {
    const { uri, connected } = await peerInHand();
    const first = ask(uri, { body: [pattern(200_000)] });
    const second = ask(uri, { body: [pattern(200_000)] });
    const third = ask(uri, { halfClose: false });
    const connection = await connected;
    connection.send(settings({ 4: 1_000_000 }));
    await connection.request();
    third.halfClose();
    await connection.next(TYPE.data, ({ streamId, flags }) => streamId === 5 && flags === END_STREAM);
    connection.send(frame(TYPE.window, 0, 0, uint32(163_840)));
    const both = [await contentBytes(connection, 1), await contentBytes(connection, 3)] as const;
    expect(both[0] + both[1]).toBe(65_535 + 163_840);
    expect(both[1]).toBeGreaterThan(50_000);
    connection.send(frame(TYPE.window, 0, 0, uint32(1_000_000)));
    expect(await contentBytes(connection, 3)).toBe(200_000);
    connection.send(answer(5, "c"), answer(3, "b"), answer(1, "a"));
    expect(await Promise.all([first, second, third].map(textOf))).toEqual(["a", "b", "c"]);
  });

  test("frames use the peer's maximum size and never exceed it", async () => {
    const { uri, connected } = await peerInHand();
    const first = ask(uri);
    const connection = await connected;
    connection.send(settings({ 4: 1_000_000, 5: 40_000 }), frame(TYPE.window, 0, 0, uint32(1_000_000)));
    connection.send(answer(await connection.request(), "x"));
    await textOf(first);
    const exchange = ask(uri, { body: [pattern(90_000)] });
    connection.send(answer(await connection.request(), "y"));
    expect(await textOf(exchange)).toBe("y");
    const sizes = connection.frames.filter(({ type }) => type === TYPE.data).map(({ payload }) => payload.length);
    expect(sizes).toEqual([40_000, 40_000, 10_000]);
  });

  test("headers too large for one frame continue in further frames", async () => {
    const { uri, connected } = await peerInHand();
    const value = "v".repeat(40_000);
    const exchange = ask(uri, { headers: { "x-large": value } });
    const connection = await connected;
    connection.send(settings(), answer(await connection.request(), "x"));
    expect(await textOf(exchange)).toBe("x");
    const block = connection.frames.filter(({ type }) => type === TYPE.headers || type === TYPE.continuation);
    expect(block.map(({ type, flags, payload }) => [type, flags, payload.length > 16_384])).toEqual([
      [TYPE.headers, END_STREAM, false],
      [TYPE.continuation, 0, false],
      [TYPE.continuation, END_HEADERS, false],
    ]);
    expect(Buffer.concat(block.map(({ payload }) => payload)).includes(field("x-large", value).subarray(1))).toBe(true);
  });

  test("an answer before the end of our body makes the client reset the stream", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri, { body: [pattern(100_000)] });
    const connection = await connected;
    connection.send(settings(), answer(await connection.request(), "no need"));
    expect(await textOf(exchange)).toBe("no need");
    expect((await connection.next(TYPE.reset)).payload.readUInt32BE(0)).toBe(8);
  });

  test("an abort is a reset with CANCEL, and late frames are harmless", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri, { halfClose: false });
    const connection = await connected;
    connection.send(settings());
    const id = await connection.request();
    exchange.abort();
    expect((await connection.next(TYPE.reset)).payload.readUInt32BE(0)).toBe(8);
    connection.send(answer(id, "too late"), frame(TYPE.reset, 0, id, uint32(8)), frame(TYPE.window, 0, id, uint32(8)));
    const next = ask(uri);
    connection.send(answer(await connection.request(), "in time"));
    expect(await textOf(next)).toBe("in time");
  });

  test("content for a peer that reads nothing waits in its stream, however wide the windows are, and an abort drops it", async () => {
    const { uri, connected } = await peerInHand();
    const first = ask(uri);
    const connection = await connected;
    connection.send(settings({ 4: WINDOW_MAX }), frame(TYPE.window, 0, 0, uint32(WINDOW_MAX - 65_535)));
    connection.send(answer(await connection.request(), "x"));
    await textOf(first);
    connection.socket.pause();
    const body = [pattern(16 * MIB)];
    for (let round = 0; round < 20; round++) {
      const exchange = ask(uri, { body, halfClose: false });
      exchange.write(body[0]!);
      await new Promise((resolve) => setTimeout(resolve, 5));
      exchange.abort();
    }
    connection.socket.resume();
    const last = ask(uri, { body });
    const id = await connection.request();
    await connection.next(TYPE.data, ({ streamId, flags }) => streamId === id + 40 && flags === END_STREAM);
    const unwanted = connection.frames.filter(({ type, streamId }) => type === TYPE.data && streamId <= 41);
    // The buffers of the system take some megabytes.
    expect(unwanted.reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThan(20 * MIB);
    expect(contentOf(connection.frames, id + 40).equals(body[0]!)).toBe(true);
    connection.send(answer(id + 40, "whole"));
    expect(await textOf(last)).toBe("whole");
  });

  test("the answer to a ping repeats the ping's bytes", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    connection.send(settings(), frame(TYPE.ping, 0, 0, Buffer.from("whatever")));
    expect((await connection.next(TYPE.ping)).payload.toString()).toBe("whatever");
    exchange.abort();
  });
});
