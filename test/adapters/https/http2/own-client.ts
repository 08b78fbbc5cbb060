/** Runs our HTTP/2 client against scripted peers; client and peers end with each test. */
import { afterEach, beforeEach } from "vitest";
import { HttpsEndpoints } from "../../../../shared/adapters/https/https-endpoints.ts";
import type { Exchange, ExchangeRequest } from "../../../../shared/engine/ports/endpoints.ts";
import { requestTo } from "../../../contracts/endpoints-contract.ts";
import type { Peer } from "../../../harness/https/peer.ts";
import { scriptedPeer, type ScriptedConnection } from "./scripted-peer.ts";

type Script = Parameters<typeof scriptedPeer>[0];

let endpoints: HttpsEndpoints;
const peers: Peer[] = [];

/** Each test file calls this once. */
export function withOwnClient(): void {
  beforeEach(() => {
    endpoints = new HttpsEndpoints({ allow: ["loopback"] });
  });
  afterEach(async () => {
    endpoints.close();
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });
}

export async function peerOf(script: Script): Promise<Peer> {
  const peer = await scriptedPeer(script);
  peers.push(peer);
  return peer;
}

/** A peer whose first connection the test itself controls. */
export async function peerInHand(): Promise<{ readonly uri: string; readonly connected: Promise<ScriptedConnection> }> {
  let give: (connection: ScriptedConnection) => void = () => {};
  const connected = new Promise<ScriptedConnection>((resolve) => (give = resolve));
  const { uri } = await peerOf(give);
  return { uri, connected };
}

export function ask(uri: string, change: Partial<ExchangeRequest> = {}): Exchange {
  return endpoints.open(requestTo(uri, "h2 in the clear", change));
}
