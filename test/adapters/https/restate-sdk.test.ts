/** Tests the adapter against a deployment of the real TypeScript SDK. */
import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import type { Server } from "node:net";
import { afterAll, expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import { startServer, type Peer, type PeerKind } from "../../harness/https/peer.ts";

// The SDK calls Promise.withResolvers, which Node 20 lacks.
const constructor = Promise as { withResolvers?: () => unknown };
constructor.withResolvers ??= () => {
  let resolve: unknown;
  let reject: unknown;
  const promise = new Promise((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve, reject };
};

const { endpoint, service } = await import("@restatedev/restate-sdk");

const MANIFEST = "application/vnd.restate.endpointmanifest.v4+json";
const greeter = service({ name: "Greeter", handlers: { greet: async () => "hello" } });
const deployment = endpoint().bind(greeter);

const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
const peers: Peer[] = [];
afterAll(async () => {
  endpoints.close();
  await Promise.all(peers.map((peer) => peer.stop()));
});

async function sdkPeer(kind: PeerKind): Promise<Peer> {
  const server = kind.startsWith("h2")
    ? createHttp2(deployment.http2Handler())
    : createHttp1(deployment.http1Handler());
  const peer = await startServer(server as Server);
  peers.push(peer);
  return peer;
}

test.each(["h2 in the clear", "http1.1 in the clear"] as const)("the SDK's manifest is read over %s", async (kind) => {
  const { uri } = await sdkPeer(kind);
  const exchange = endpoints.open(
    requestTo(uri, kind, { method: "GET", path: "/discover", headers: { accept: MANIFEST } }),
  );
  const head = await exchange.head();
  expect(head.status).toBe(200);
  expect(head.headers["content-type"]).toBe(MANIFEST);
  expect(head.headers["x-restate-server"]).toMatch(/^restate-sdk-typescript\//);
  const manifest = JSON.parse((await readAll(exchange)).toString()) as { services: { name: string }[] };
  expect(manifest.services.map(({ name }) => name)).toEqual(["Greeter"]);
});

test.each(["h2 in the clear", "http1.1 in the clear"] as const)("an unknown handler is 404 over %s", async (kind) => {
  const { uri } = await sdkPeer(kind);
  const headers = { "content-type": "application/vnd.restate.invocation.v6" };
  const exchange = endpoints.open(requestTo(uri, kind, { path: "/invoke/Nobody/home", headers }));
  expect((await exchange.head()).status).toBe(404);
  expect(JSON.parse((await readAll(exchange)).toString())).toHaveProperty("message");
});

test("a wrong HTTP version gives the reason broken at an HTTP/2 server, and http1-only at an HTTP/1.1 server", async () => {
  const http2 = await sdkPeer("h2 in the clear");
  const http1 = await sdkPeer("http1.1 in the clear");
  expect(await reasonOf(endpoints.open(requestTo(http2.uri, "http1.1 in the clear")).head())).toBe("broken");
  expect(await reasonOf(endpoints.open(requestTo(http1.uri, "h2 in the clear")).head())).toBe("http1-only");
});
