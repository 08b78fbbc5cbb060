/** Tests the corpus of hostile addresses: the client connects to none of them, over either protocol, by address or by name. */
import { expect, test, afterEach } from "vitest";
import { HttpsEndpoints, type HttpsEndpointsOptions } from "../../../shared/adapters/https/https-endpoints.ts";
import { reasonOf, requestTo } from "../../contracts/endpoints-contract.ts";
import { startPeer, type PeerKind } from "../../harness/https/peer.ts";
import { SEEN_WITHIN_MS } from "../../patience.ts";
import { HOSTILE_URLS, NO_WAY } from "./hostile-urls.ts";

const opened: HttpsEndpoints[] = [];
afterEach(() => opened.splice(0).forEach((one) => one.close()));
function endpointsWith(options: HttpsEndpointsOptions = {}): HttpsEndpoints {
  // The look-up of a name counts, and waits for a thread on a busy machine.
  const made = new HttpsEndpoints({ connectTimeoutMs: SEEN_WITHIN_MS, ...options });
  opened.push(made);
  return made;
}

const KINDS: readonly PeerKind[] = ["h2 in the clear", "http1.1 in the clear"];
const resolve = (): Promise<never> => Promise.reject(new Error("no name is to be looked up"));

test("the corpus has at least 120 addresses without duplicates", () => {
  const urls = HOSTILE_URLS.map(([, url]) => url);
  expect(urls.length).toBeGreaterThanOrEqual(120);
  expect(new Set(urls).size).toBe(urls.length);
});

test.each(HOSTILE_URLS)("%s: %j is forbidden", async (_trick, url) => {
  // The system resolves names of this machine; all other entries are addresses, which need no lookup.
  const endpoints = endpointsWith(/localhost/.test(url) ? {} : { resolve });
  for (const kind of KINDS) expect(await reasonOf(endpoints.open(requestTo(url, kind)).head()), kind).toBe("forbidden");
});

test.each(NO_WAY)("%j reaches no destination", async (url) => {
  const endpoints = endpointsWith({ resolve });
  for (const kind of KINDS) {
    expect(await reasonOf(endpoints.open(requestTo(url, kind)).head()), kind).toMatch(/^(unreachable|forbidden)$/);
  }
});

test("a name with an allowed address is refused after it moves to an address of the corpus", async () => {
  const addresses = HOSTILE_URLS.filter(([trick]) => trick !== "disguised")
    .map(([, url]) => new URL(url).hostname.replaceAll(/[[\]]/g, ""))
    .filter((host) => !host.startsWith("localhost"));
  const peer = await startPeer("http1.1 in the clear", (_request, response) => {
    response.writeHead(200, { connection: "close" }).end("ok");
  });
  let next = "127.0.0.1";
  const endpoints = endpointsWith({
    allow: ["127.0.0.1/32"],
    resolve: () => Promise.resolve([{ address: next, family: next.includes(":") ? 6 : 4 }]),
  });
  const request = requestTo(`http://rebound.example:${peer.port}`, "http1.1 in the clear");
  const ask = async () => await reasonOf(endpoints.open(request).head());
  expect(await ask()).toContain("no failure");
  const moved = addresses.filter((address) => address !== "127.0.0.1" && !/7f00:0*1\b|127\.0\.0\.1/.test(address));
  expect(moved.length).toBeGreaterThanOrEqual(70);
  for (next of moved) expect(await ask(), next).toBe("forbidden");
  expect(peer.connections()).toBe(1);
  await peer.stop();
});
