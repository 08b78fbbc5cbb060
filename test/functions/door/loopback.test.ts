/** Tests which addresses and names mean this machine: the system resolves a name, and its addresses decide. */
import { createServer } from "node:http2";
import { hostname, networkInterfaces } from "node:os";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { findDeployments } from "../../../functions/local/find-deployments.ts";
import type { WatchedDeployment } from "../../../functions/local/watch-deployment.ts";
import { isLoopbackAddress, isLoopbackHost, isOwnHost } from "../../../functions/door/loopback.ts";
import { startServer } from "../../harness/https/peer.ts";
import { openLocalStage, type StageOptions } from "../../harness/local/local-stage.ts";

/** The addresses to which the system resolves each name; other names are unknown. */
const names = vi.hoisted(() => new Map<string, readonly string[]>());

vi.mock("node:dns/promises", async (original) => ({
  ...(await original<object>()),
  lookup: async (name: string) => {
    const found = names.get(name);
    if (found === undefined) throw new Error(`ENOTFOUND ${name}`);
    return found.map((address) => ({ address }));
  },
}));

afterEach(() => names.clear());

const FOREIGN = "203.0.113.5";

it.each([
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["128.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["localhost", false],
])("the address %s is loopback: %s", (address, expected) => expect(isLoopbackAddress(address)).toBe(expected));

it.each<readonly [readonly string[] | undefined, boolean]>([
  [["127.0.0.1"], true],
  [["::1", "127.0.0.1"], true],
  [["127.0.0.1", FOREIGN], false],
  [[FOREIGN], false],
  [undefined, false],
])("localhost that resolves to %j is loopback: %s", async (addresses, expected) => {
  if (addresses !== undefined) names.set("localhost", addresses);
  expect(await isLoopbackHost("localhost")).toBe(expected);
});

it("a host is this machine if one of its addresses belongs to this machine", async () => {
  const own = Object.values(networkInterfaces()).flatMap((ones = []) => ones.map(({ address }) => address));
  names.set(hostname(), [FOREIGN, own[0]!]).set("other.example", [FOREIGN]);
  expect(await Promise.all([hostname(), "other.example", "[::1]", "unknown.example"].map(isOwnHost))).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it("the search for deployments uses the loopback address if localhost is another machine", async () => {
  names.set("localhost", [FOREIGN]);
  const services = [service({ name: "Greeter", handlers: { greet: async () => "hi" } })];
  const { port, stop } = await startServer(createServer(createEndpointHandler({ services, logger: () => {} })));
  onTestFinished(stop);
  const stage = await opened({});
  const found: WatchedDeployment[] = [];
  const finding = {
    ports: [port],
    onFound: (one: WatchedDeployment) => void found.push(one),
    log: { write: () => {} },
  };
  await findDeployments(stage.local.engine, finding, new AbortController().signal);
  expect(found).toEqual([{ uri: `http://127.0.0.1:${port}/`, useHttp11: false }]);
});

it.each([
  ["127.0.0.1", "127.0.0.2", []],
  ["localhost", "localhost", []],
  ["0.0.0.0", "127.0.0.1", ["0.0.0.0"]],
  ["127.0.0.1", "::ffff:0.0.0.0", ["::ffff:0.0.0.0"]],
])("a process that is bound to %s and %s is exposed at %j", async (ingress, admin, exposed) => {
  const { local } = await opened({ flags: { "ingress.bind": ingress, "admin.bind": admin } });
  expect(local.exposedHosts).toEqual(exposed);
});

async function opened(options: StageOptions) {
  const stage = await openLocalStage(options);
  onTestFinished(() => stage.close());
  return stage;
}
