/** Tests certificates, TLS handshakes and the choice of the protocol in a handshake. */
import { createServer as createTcp, type Server } from "node:net";
import { createSecureServer } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { HttpsEndpoints, type HttpsEndpointsOptions } from "../../../shared/adapters/https/https-endpoints.ts";
import type { HttpDestination, Exchange } from "../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import {
  echo,
  startPeer,
  startServer,
  testCa,
  testCredentials,
  type Peer,
  type PeerKind,
} from "../../harness/https/peer.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function endpointsWith(options: HttpsEndpointsOptions = {}): HttpsEndpoints {
  const endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa, ...options });
  closing.push(() => endpoints.close());
  return endpoints;
}

async function peerOf(kind: PeerKind): Promise<Peer> {
  const peer = await startPeer(kind, echo);
  closing.push(peer.stop);
  return peer;
}

function ask(endpoints: HttpsEndpoints, uri: string, httpVersion: HttpDestination["httpVersion"]): Exchange {
  return endpoints.open(
    requestTo(uri, "h2 over TLS", { destination: { uri, httpVersion }, body: [Buffer.from("ok")] }),
  );
}

test.each([
  ["h2 over TLS", "h2"],
  ["http1.1 over TLS", "http1.1"],
] as const)("negotiating with a peer of %s results in %s, and the connection is reused", async (kind, version) => {
  const { uri, connections } = await peerOf(kind);
  const endpoints = endpointsWith();
  for (const httpVersion of ["negotiate", "negotiate", version] as const) {
    const exchange = ask(endpoints, uri, httpVersion);
    expect((await exchange.head()).httpVersion).toBe(version);
    expect((await readAll(exchange)).toString()).toBe("ok");
  }
  expect(connections()).toBe(1);
});

test("negotiating with a peer of both protocols results in h2", async () => {
  const server = createSecureServer({ ...testCredentials, allowHTTP1: true }, (request, response) => {
    request.stream.on("error", () => {});
    response.end("ok");
  });
  const peer = await startServer(server as unknown as Server, "https");
  closing.push(peer.stop);
  expect((await ask(endpointsWith(), peer.uri, "negotiate").head()).httpVersion).toBe("h2");
});

test("without TLS, negotiation results in h2 by prior knowledge", async () => {
  const { uri } = await peerOf("h2 in the clear");
  expect((await ask(endpointsWith(), uri, "negotiate").head()).httpVersion).toBe("h2");
});

test("a TLS peer with only HTTP/1.1 is http1-only for a request over h2", async () => {
  const { uri } = await peerOf("http1.1 over TLS");
  expect(await reasonOf(ask(endpointsWith(), uri, "h2").head())).toBe("http1-only");
});

test.each(["h2", "http1.1", "negotiate"] as const)(
  "a certificate of an unknown authority is refused over %s",
  async (version) => {
    const { uri } = await peerOf(version === "h2" ? "h2 over TLS" : "http1.1 over TLS");
    const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
    closing.push(() => endpoints.close());
    expect(await reasonOf(ask(endpoints, uri, version).head())).toBe("tls");
  },
);

test("a certificate for another name is refused, and one for the right name is accepted", async () => {
  const { port } = await peerOf("h2 over TLS");
  const endpoints = endpointsWith({ resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]) });
  expect(await reasonOf(ask(endpoints, `https://other.test:${port}`, "h2").head())).toBe("tls");
  expect((await ask(endpoints, `https://deployment.test:${port}`, "h2").head()).status).toBe(200);
});

test("TLS to a peer without TLS fails in the handshake", async () => {
  const { port } = await peerOf("http1.1 in the clear");
  expect(await reasonOf(ask(endpointsWith(), `https://127.0.0.1:${port}`, "h2").head())).toBe("tls");
});

test("a peer that accepts without a handshake is unreachable after the connect timeout", async () => {
  const peer = await startServer(createTcp(), "https");
  closing.push(peer.stop);
  expect(await reasonOf(ask(endpointsWith({ connectTimeoutMs: 40 }), peer.uri, "h2").head())).toBe("unreachable");
});

test("if the endpoints are closed while a connection opens, the exchange ends", async () => {
  const peer = await startServer(createTcp(), "https");
  closing.push(peer.stop);
  const endpoints = endpointsWith();
  const heads = (["h2", "http1.1", "negotiate"] as const).map((version) =>
    reasonOf(ask(endpoints, peer.uri, version).head()),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  endpoints.close();
  expect(await Promise.all(heads)).not.toContain("no failure");
});
