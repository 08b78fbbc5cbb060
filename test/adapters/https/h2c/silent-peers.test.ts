/** Peers that fall silent, and processes that were frozen meanwhile: time is turned by hand. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HttpsEndpoints } from "../../../../shared/adapters/https/https-endpoints.ts";
import type { Exchange } from "../../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../../contracts/endpoints-contract.ts";
import type { Peer } from "../peer.ts";
import { ACK, TYPE, answer, frame, scriptedPeer, settings } from "./scripted-peer.ts";
import type { ScriptedConnection } from "./scripted-peer.ts";

let endpoints: HttpsEndpoints;
const connections: ScriptedConnection[] = [];
const peers: Peer[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  endpoints = new HttpsEndpoints({ allow: ["loopback"], h2cClient: "own" });
});
afterEach(async () => {
  vi.useRealTimers();
  endpoints.close();
  connections.length = 0;
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

/** Answers each request with "ok" unless it is told to keep silent; pings are answered by the test. */
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
async function pinged(connection: ScriptedConnection | undefined): Promise<void> {
  const ping = await connection?.next(TYPE.ping);
  connection?.send(frame(TYPE.ping, ACK, 0, ping?.payload));
  // The answer is read some turns of the event loop later.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("a ping goes out after forty seconds, and twenty without an answer break what is open", async () => {
  const peer = await peerThat(false);
  const exchange = ask(peer.uri);
  await vi.waitUntil(() => connections[0]?.frames.some(({ type }) => type === TYPE.headers));
  vi.advanceTimersByTime(39_999);
  expect(connections[0]?.frames.some(({ type }) => type === TYPE.ping)).toBe(false);
  vi.advanceTimersByTime(1);
  await connections[0]?.next(TYPE.ping);
  const reason = reasonOf(exchange.head());
  vi.advanceTimersByTime(20_000);
  expect(await reason).toBe("broken");
  await connections[0]?.closed;
});

test("a slow peer that answers its pings is waited for as long as it takes", async () => {
  const peer = await peerThat(false);
  const exchange = ask(peer.uri);
  await vi.waitUntil(() => connections[0]?.frames.some(({ type }) => type === TYPE.headers));
  for (let minute = 0; minute < 20; minute += 1) {
    vi.advanceTimersByTime(40_000);
    await pinged(connections[0]);
  }
  connections[0]?.send(answer(1, "at last"));
  expect(await textOf(exchange)).toBe("at last");
});

test("a connection that nobody used for five minutes is closed, and the next exchange opens another", async () => {
  const peer = await peerThat(true);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  for (let at = 0; at < 7; at += 1) {
    vi.advanceTimersByTime(40_000);
    await pinged(connections[0]);
  }
  expect(peer.connections()).toBe(1);
  vi.advanceTimersByTime(40_000);
  await connections[0]?.closed;
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(2);
});

test("after a freeze a connection whose peer was not heard is not used for a new request", async () => {
  const peer = await peerThat(true);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  // The clock goes on while the timers stand still.
  vi.setSystemTime(Date.now() + 79_000);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(1);
  vi.setSystemTime(Date.now() + 81_000);
  expect(await textOf(ask(peer.uri))).toBe("ok");
  expect(peer.connections()).toBe(2);
  await connections[0]?.closed;
});
