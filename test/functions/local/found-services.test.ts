/** Nothing is ever replaced by finding: a deployment that dev finds by itself takes no service over from another one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchDeployment } from "../../../functions/local/watch-deployment.ts";
import type { Log } from "../../../shared/engine/ports/log.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "../../api/admin/sample-endpoint.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

let stage: LocalStage;
let known: SampleEndpoint;
let found: SampleEndpoint;
let stopping: AbortController;
let watching: Promise<void>;
let told: (readonly [string, unknown])[];

const log: Log = { write: (event, fields = {}) => void told.push([event, fields["command"] ?? fields["services"]]) };

const bodyWith = (...names: readonly string[]): string =>
  JSON.stringify(manifestOf(names.map((name) => ({ name, ty: "SERVICE", handlers: [{ name: "one" }] }))));

beforeEach(async () => {
  stage = await openLocalStage({});
  [known, found] = await Promise.all([startEndpoint({}), startEndpoint({})]);
  known.answer = { body: bodyWith("Known") };
  stopping = new AbortController();
  watching = Promise.resolve();
  told = [];
});

afterEach(async () => {
  stopping.abort();
  await watching;
  await Promise.all([known.close(), found.close()]);
  await stage.close();
});

function find(): void {
  const how = { again: true, staysRemoved: "until-registered", log } as const;
  const wanted = { uri: found.uri, useHttp11: false, leavesOthers: true } as const;
  watching = watchDeployment(stage.local.engine, wanted, how, stopping.signal);
}

/** The address that serves each service. */
async function serving(): Promise<Readonly<Record<string, string>>> {
  const { registry } = stage.local.engine;
  registry.refresh();
  const deployments = await registry.deployments();
  const addresses: Record<string, [number, string]> = {};
  for (const { destination, services } of deployments)
    for (const { name, revision } of services)
      if ((addresses[name]?.[0] ?? 0) < revision && destination.kind === "http")
        addresses[name] = [revision, destination.uri.replace(/\/$/, "")];
  return Object.fromEntries(Object.entries(addresses).map(([name, [, uri]]) => [name, uri]));
}

/** Waits until the watch has asked the deployment three times more, so that it has decided at least twice. */
async function someChecks(): Promise<void> {
  const before = found.asked.length;
  await expect.poll(() => found.asked.length).toBeGreaterThanOrEqual(before + 3);
}

it("a service of another deployment stays with it, and the line has the command that registers the found one", async () => {
  await stage.register(known.uri);
  found.answer = { body: bodyWith("Known", "Fresh") };
  find();
  await someChecks();
  expect(await serving()).toEqual({ Known: known.uri });
  expect(told).toEqual([["deployment.left-alone", `stepwell deployments register ${found.uri}`]]);
});

it("after that registration by an operator, the found deployment is watched as before", async () => {
  await stage.register(known.uri);
  found.answer = { body: bodyWith("Known") };
  find();
  await someChecks();
  await stage.register(found.uri);
  await expect.poll(serving).toEqual({ Known: found.uri });
  await expect.poll(() => told.map(([event]) => event)).toContain("deployment.unchanged");
});

it("a deployment with unknown services alone is registered", async () => {
  await stage.register(known.uri);
  found.answer = { body: bodyWith("Fresh") };
  find();
  await expect.poll(serving).toEqual({ Known: known.uri, Fresh: found.uri });
});

it("a found deployment that later announces a service of another one gets none of it", async () => {
  await stage.register(known.uri);
  found.answer = { body: bodyWith("Fresh") };
  find();
  await expect.poll(serving).toEqual({ Known: known.uri, Fresh: found.uri });
  found.answer = { body: bodyWith("Fresh", "Known") };
  await expect.poll(() => told.map(([event]) => event)).toContain("deployment.left-alone");
  await someChecks();
  expect(await serving()).toEqual({ Known: known.uri, Fresh: found.uri });
  found.answer = { body: bodyWith("Fresh", "Newer") };
  await expect.poll(serving).toEqual({ Known: known.uri, Fresh: found.uri, Newer: found.uri });
});
