/** Tests silent peers and frozen processes, with fake timers. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HttpsEndpoints } from "../../../../shared/adapters/https/https-endpoints.ts";
import type { Exchange } from "../../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../../contracts/endpoints-contract.ts";
import type { Peer } from "../../../harness/https/peer.ts";
import {
  ACK,
  TYPE,
  answer,
  frame,
  scriptedPeer,
  settings,
  type Frame,
  type ScriptedConnection,
} from "./scripted-peer.ts";

const MARK = Buffer.from("settled?");

let endpoints: HttpsEndpoints;
const connections: ScriptedConnection[] = [];
const peers: Peer[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  endpoints = new HttpsEndpoints({ allow: ["loopback"] });
});
afterEach(async () => {
  vi.useRealTimers();
  endpoints.close();
  connections.length = 0;
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

/** A peer that answers each request with "ok", or answers no request; the test itself answers pings. */
async function peerThat(answers: boolean): Promise<Peer> {
  const peer = await scriptedPeer(async (connection) => {
    connections.push(connection);
    connection.send(settings());
    for (;;) {
      const id = await connection.request();
      if (answers) connection.send(answer(id, "ok"));
    }
  });
  peers.push(peer);
  return peer;
}

const ask = (uri: string): Exchange => endpoints.open(requestTo(uri, "h2 in the clear"));
const textOf = async (exchange: Exchange): Promise<string> => (await readAll(exchange)).toString();
/** True for the client's own pings, false for its answers to the pings of the test. */
const isPing = ({ type, flags }: Frame): boolean => type === TYPE.ping && flags !== ACK;

/** Waits for the first request while fake time stands still. */
async function asked(): Promise<ScriptedConnection> {
  for (;;) {
    const [connection] = connections;
    if (connection?.frames.some(({ type }) => type === TYPE.headers) === true) return connection;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends the given frames and a ping. The answer to the ping proves that each side has read all earlier frames. */
async function settled(connection: ScriptedConnection, ...first: readonly Buffer[]): Promise<void> {
  connection.send(...first, frame(TYPE.ping, 0, 0, MARK));
  await connection.next(TYPE.ping, ({ flags, payload }) => flags === ACK && payload.equals(MARK));
}

async function pinged(connection: ScriptedConnection): Promise<void> {
  const { payload } = await connection.next(TYPE.ping, isPing);
  await settled(connection, frame(TYPE.ping, ACK, 0, payload));
}

test("the client sends a ping after forty seconds, and open exchanges break after twenty more without an answer", async () => {
  const peer = await peerThat(false);
  const exchange = ask(peer.uri);
  const connection = await asked();
  vi.advanceTimersByTime(39_999);
  await settled(connection);
  expect(connection.frames.some(isPing)).toBe(false);
  vi.advanceTimersByTime(1);
  await connection.next(TYPE.ping, isPing);
  const reason = reasonOf(exchange.head());
  vi.advanceTimersByTime(20_000);
  expect(await reason).toBe("broken");
  await connection.closed;
});

test("an exchange with a slow peer stays open while the peer answers pings", async () => {
  const peer = await peerThat(false);
  const exchange = ask(peer.uri);
  const connection = await asked();
  for (let minute = 0; minute < 20; minute += 1) {
    vi.advanceTimersByTime(40_000);
    await pinged(connection);
  }
  connection.send(answer(1, "at last"));
  expect(await textOf(exchange)).toBe("at last");
});

test("a connection is closed after five idle minutes, and the next exchange opens another", async () => {
  const peer = await peerThat(true);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  const connection = await asked();
  for (let at = 0; at < 7; at += 1) {
    vi.advanceTimersByTime(40_000);
    await pinged(connection);
  }
  expect(peer.connections()).toBe(1);
  vi.advanceTimersByTime(40_000);
  await connection.closed;
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(2);
});

test("after a freeze, a connection with a silent peer carries no new request", async () => {
  const peer = await peerThat(true);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  // The clock advances without the timers.
  vi.setSystemTime(Date.now() + 79_000);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(1);
  vi.setSystemTime(Date.now() + 81_000);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(2);
  await connections[0]?.closed;
});
