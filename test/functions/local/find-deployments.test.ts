/** `stepwell dev` without `--register`: it registers deployments at the usual ports, now or later, and no other server. */
import { createServer as createHttp1 } from "node:http";
import { createServer } from "node:http2";
import { createServer as createTcp, type Server } from "node:net";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { findDeployments } from "../../../functions/local/find-deployments.ts";
import type { WatchedDeployment } from "../../../functions/local/watch-deployment.ts";
import type { Log } from "../../../shared/engine/ports/log.ts";
import { manifestOf } from "../../api/admin/sample-endpoint.ts";
import { startServer, type Peer } from "../../harness/https/peer.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const MANIFEST_TYPE = "application/vnd.restate.endpointmanifest.v4+json";
const GREETER = { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] };

let stage: LocalStage;
let stopping: AbortController;
let finding: Promise<void>;
let told: (readonly [string, unknown])[];
let found: WatchedDeployment[];
let refusals: string[];

const log: Log = {
  write(event, fields = {}) {
    told.push([event, fields["uri"] ?? fields["ports"]]);
    if (event === "deployment.refused") refusals.push(String(fields["error"]));
  },
};

beforeEach(async () => {
  stage = await openLocalStage({});
  stopping = new AbortController();
  told = [];
  found = [];
  refusals = [];
});

afterEach(async () => {
  stopping.abort();
  await finding;
  await stage.close();
});

function find(...ports: readonly number[]): void {
  const onFound = (deployment: WatchedDeployment): void => void found.push(deployment);
  finding = findDeployments(stage.local.engine, { ports, onFound, log }, stopping.signal);
}

async function start(server: Server, port = 0): Promise<Peer> {
  const peer = await startServer(server, "http", port);
  onTestFinished(() => peer.stop());
  return peer;
}

function greeter(): Server {
  const services = [service({ name: "Greeter", handlers: { greet: async () => "hi" } })];
  return createServer(createEndpointHandler({ services, logger: () => {} }));
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { port, stop } = await startServer(createTcp());
  await stop();
  return port;
}

it("finds the deployment that runs already, and ends when each port has one", async () => {
  const { port } = await start(greeter());
  const uri = `http://localhost:${port}/`;
  find(port);
  await finding;
  expect(found).toEqual([{ uri, useHttp11: false }]);
  expect(told).toEqual([["deployment.found", uri]]);
});

it("says once that nothing answers, and finds the deployment that starts later", async () => {
  const port = await freePort();
  find(port);
  await expect.poll(() => told).toEqual([["deployment.sought", String(port)]]);
  await start(greeter(), port);
  const uri = `http://localhost:${port}/`;
  await expect.poll(() => found).toEqual([{ uri, useHttp11: false }]);
  expect(told.slice(1)).toEqual([["deployment.found", uri]]);
});

it("finds a deployment that speaks HTTP/1.1 only", async () => {
  const server = createHttp1((_request, response) =>
    response
      .writeHead(200, { "content-type": MANIFEST_TYPE })
      .end(JSON.stringify(manifestOf([GREETER], { protocolMode: "REQUEST_RESPONSE" }))),
  );
  const { port } = await start(server);
  find(port);
  await finding;
  expect(found).toEqual([{ uri: `http://localhost:${port}/`, useHttp11: true }]);
});

it("uses the address under which the deployment is registered", async () => {
  const { port } = await start(greeter());
  await stage.register(`http://127.0.0.1:${port}`);
  find(port);
  await finding;
  expect(found).toEqual([{ uri: `http://127.0.0.1:${port}/`, useHttp11: false }]);
});

it("asks a registered deployment with its headers, and hides the query values of its address", async () => {
  const handler = createEndpointHandler({
    services: [service({ name: "Greeter", handlers: { greet: async () => "hi" } })],
    logger: () => {},
  });
  const server = createServer((request, response) =>
    request.headers["x-key"] === "k-1" ? handler(request, response) : void response.writeHead(401).end(),
  );
  const { port } = await start(server);
  const uri = `http://127.0.0.1:${port}/?token=canary-4711`;
  await stage.register(uri, { additional_headers: { "x-key": "k-1" } });
  find(port);
  await finding;
  expect(found).toEqual([{ uri, useHttp11: false }]);
  expect(told).toEqual([["deployment.found", `http://127.0.0.1:${port}/?token=***`]]);
});

it("leaves a removed deployment alone until an operator registers it again", async () => {
  const port = await freePort();
  const { uri, stop } = await startServer(greeter(), "http", port);
  await stage.register(uri);
  await stop();
  find(port);
  await expect.poll(() => told).toContainEqual(["deployment.sought", String(port)]);
  const [registered] = await stage.local.engine.registry.deployments();
  await fetch(`${stage.adminUri}/deployments/${registered!.id}?force=true`, { method: "DELETE" });
  await expect.poll(() => told.at(-1)).toEqual(["registration.ended", `${uri}/`]);
  const { connections } = await start(greeter(), port);
  await stage.local.engine.clock.sleep(3_000);
  expect([connections(), found]).toEqual([0, []]);
  await stage.register(uri);
  await expect.poll(() => found).toEqual([{ uri: `${uri}/`, useHttp11: false }]);
});

it("says once why a manifest is refused, again when the reason changes, and finds the deployment once the manifest is correct", async () => {
  let manifest: object = manifestOf([GREETER], { minProtocolVersion: 90, maxProtocolVersion: 91 });
  const { port, connections } = await start(
    createHttp1((_request, response) =>
      response.writeHead(200, { "content-type": MANIFEST_TYPE }).end(JSON.stringify(manifest)),
    ),
  );
  find(port);
  const uri = `http://localhost:${port}/`;
  await expect.poll(() => told).toEqual([["deployment.refused", uri]]);
  const asked = connections();
  await expect.poll(connections).toBeGreaterThan(asked + 2);
  expect(refusals).toEqual([expect.stringMatching(/^\[META0012\] .*versions 90 to 91/)]);
  manifest = manifestOf([{ ...GREETER, handlers: [{ name: "greet" }, { name: "greet" }] }]);
  await expect.poll(() => refusals.slice(1)).toEqual([expect.stringMatching(/^\[META0013\] .*\$\.services/)]);
  manifest = manifestOf([GREETER]);
  await expect.poll(() => found).toEqual([{ uri, useHttp11: true }]);
  expect(told.map(([event]) => event)).toEqual(["deployment.refused", "deployment.refused", "deployment.found"]);
});

it.each<readonly [string, () => Server]>([
  ["a web page", () => createHttp1((_request, response) => response.writeHead(200).end("<html></html>"))],
  ["a server that lacks the page", () => createHttp1((_request, response) => response.writeHead(404).end())],
  ["an answer without end", () => createHttp1((_request, response) => void response.writeHead(200).write("x"))],
  ["a server that closes each connection", () => createTcp((socket) => void socket.destroy())],
  ["a server that talks first", () => createTcp((socket) => void socket.write("220 mail ready\r\n"))],
])("registers nothing for %s, and asks it rarely", async (_what, server) => {
  const { port, connections } = await start(server());
  find(port);
  await expect.poll(() => told).toEqual([["deployment.sought", String(port)]]);
  const asked = connections();
  await stage.local.engine.clock.sleep(3_000);
  expect([connections(), found]).toEqual([asked, []]);
});
