/**
 * Tests the windows that the client gives a peer: a window is small until the reader has kept up, so that a stream whose reader
 * does not read holds little in memory.
 */
import { expect, test } from "vitest";
import { readAll } from "../../../contracts/endpoints-contract.ts";
import { ask, peerInHand, withOwnClient } from "./own-client.ts";
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  OK,
  TYPE,
  frame,
  settings,
  uint32,
  type ScriptedConnection,
} from "./scripted-peer.ts";

withOwnClient();

const KIB = 1024;
const MIB = 1024 * KIB;
const INITIAL_BYTES = 32 * KIB;
const PART = Buffer.alloc(16 * KIB);
/** After this many answered pings without a window update, the sender assumes that no update comes. */
const PINGS_MAX = 20;

/** Sends content on one stream as far as its window allows. */
class Sender {
  readonly #connection: ScriptedConnection;
  readonly #id: number;
  sentBytes = 0;
  leftMaxBytes = INITIAL_BYTES;

  constructor(connection: ScriptedConnection, id: number) {
    this.#connection = connection;
    this.#id = id;
    connection.send(frame(TYPE.headers, END_HEADERS, id, OK));
  }

  get updates(): number {
    return this.#updates().length;
  }

  /** Sends until `totalBytes` are sent; stops earlier if the window stays closed. */
  async sendUpTo(totalBytes: number): Promise<void> {
    for (let pings = 0; this.sentBytes < totalBytes && pings < PINGS_MAX;) {
      const leftBytes = INITIAL_BYTES + this.#updates().reduce((sum, bytes) => sum + bytes, 0) - this.sentBytes;
      this.leftMaxBytes = Math.max(this.leftMaxBytes, leftBytes);
      if (leftBytes < PART.length) {
        pings += 1;
        await this.#ping();
        continue;
      }
      pings = 0;
      this.#connection.send(frame(TYPE.data, 0, this.#id, PART));
      this.sentBytes += PART.length;
    }
  }

  end(): void {
    this.#connection.send(frame(TYPE.data, END_STREAM, this.#id));
  }

  #updates(): readonly number[] {
    const ours = this.#connection.frames.filter(({ type, streamId }) => type === TYPE.window && streamId === this.#id);
    return ours.map(({ payload }) => payload.readUInt32BE(0));
  }

  async #ping(): Promise<void> {
    const mark = uint32(this.#id, this.#connection.frames.length);
    this.#connection.send(frame(TYPE.ping, 0, 0, mark));
    await this.#connection.next(TYPE.ping, ({ flags, payload }) => flags === ACK && payload.equals(mark));
  }
}

test("the window of a stream grows to a mebibyte while the reader keeps up, so that updates are few", async () => {
  const { uri, connected } = await peerInHand();
  const whole = readAll(ask(uri));
  const connection = await connected;
  connection.send(settings());
  const sender = new Sender(connection, await connection.request());
  await sender.sendUpTo(8 * MIB);
  sender.end();
  expect((await whole).length).toBe(8 * MIB);
  expect(sender.leftMaxBytes).toBeGreaterThan(MIB / 2);
  expect(sender.leftMaxBytes).toBeLessThanOrEqual(MIB);
  expect(sender.updates).toBeLessThan(40);
});

test("each stream whose reader does not read receives at most 128 KiB, and the rest once the reader reads", async () => {
  const { uri, connected } = await peerInHand();
  const exchanges = Array.from({ length: 5 }, () => ask(uri));
  const connection = await connected;
  connection.send(settings());
  const senders: Sender[] = [];
  for (let at = 0; at < exchanges.length; at++) senders.push(new Sender(connection, await connection.request()));
  for (const sender of senders) {
    await sender.sendUpTo(MIB);
    expect(sender.sentBytes).toBeLessThanOrEqual(128 * KIB);
  }
  for (const [at, sender] of senders.entries()) {
    const whole = readAll(exchanges[at]!);
    await sender.sendUpTo(MIB);
    sender.end();
    expect((await whole).length).toBe(MIB);
  }
});

test("the windows of all streams of a connection grow by 16 MiB together at most, and an ended stream makes room", async () => {
  const { uri, connected } = await peerInHand();
  const grown = async (): Promise<Sender> => {
    const whole = readAll(ask(uri));
    const sender = new Sender(connection, await connection.request());
    await sender.sendUpTo(4 * MIB);
    endings.push(async () => {
      sender.end();
      expect((await whole).length).toBe(4 * MIB);
    });
    return sender;
  };
  const endings: (() => Promise<void>)[] = [];
  const first = readAll(ask(uri));
  const connection = await connected;
  connection.send(settings());
  new Sender(connection, await connection.request()).end();
  await first;
  for (let at = 0; at < 16; at++) expect((await grown()).leftMaxBytes).toBeGreaterThan(MIB / 2);
  expect((await grown()).leftMaxBytes).toBeLessThanOrEqual(MIB / 2 + INITIAL_BYTES);
  expect((await grown()).leftMaxBytes).toBe(INITIAL_BYTES);
  await endings.shift()!();
  expect((await grown()).leftMaxBytes).toBeGreaterThan(MIB / 2);
  for (const end of endings) await end();
});
