/** Headers, metadata, settings and removals by an operator stay while `stepwell dev` watches the deployment. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchDeployment, type Watching } from "../../../functions/local/watch-deployment.ts";
import type { Log } from "../../../shared/engine/ports/log.ts";
import type { Deployment } from "../../../shared/core/model/deployment.ts";
import { manifestOf, startEndpoint, type SampleEndpoint } from "../../api/admin/sample-endpoint.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const WITH_KEY = { additional_headers: { "x-key": "k-1" }, metadata: { team: "blue" } };

let stage: LocalStage;
let endpoint: SampleEndpoint;
let stopping: AbortController;
let watching: Promise<void>;
let told: string[];

const log: Log = { write: (event) => void told.push(event) };

const bodyWith = (...handlers: readonly string[]): string =>
  JSON.stringify(manifestOf([{ name: "Growing", ty: "SERVICE", handlers: handlers.map((name) => ({ name })) }]));

beforeEach(async () => {
  stage = await openLocalStage({});
  endpoint = await startEndpoint({});
  endpoint.answer = { body: bodyWith("one") };
  stopping = new AbortController();
  watching = Promise.resolve();
  told = [];
});

afterEach(async () => {
  stopping.abort();
  await watching;
  await endpoint.close();
  await stage.close();
});

function watch(staysRemoved: Watching["staysRemoved"] = "until-registered"): void {
  const how = { again: true, staysRemoved, log };
  watching = watchDeployment(stage.local.engine, { uri: endpoint.uri, useHttp11: false }, how, stopping.signal);
}

async function registered(): Promise<Deployment | undefined> {
  const { registry } = stage.local.engine;
  registry.refresh();
  return (await registry.deployments())[0];
}

const revision = async (): Promise<number | undefined> => (await registered())?.services[0]?.revision;

async function ask(method: string, path: string, body?: object): Promise<number> {
  const init = { method, ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }) };
  return (await fetch(`${stage.adminUri}${path}`, init)).status;
}

/** Waits until the watch has asked the deployment twice more, so that it has decided at least once. */
async function aCheck(): Promise<void> {
  const before = endpoint.asked.length;
  await expect.poll(() => endpoint.asked.length).toBeGreaterThanOrEqual(before + 2);
}

it("an unchanged deployment stays exactly as the operator has registered it", async () => {
  await stage.register(endpoint.uri, WITH_KEY);
  const before = await registered();
  watch();
  await aCheck();
  expect(await registered()).toEqual(before);
  expect(told).toEqual(["deployment.unchanged"]);
  expect(endpoint.asked.map((headers) => headers["x-key"])).toEqual(endpoint.asked.map(() => "k-1"));
});

it("a changed deployment gets new revisions, and keeps id, headers and metadata", async () => {
  await stage.register(endpoint.uri, WITH_KEY);
  const { id } = (await registered())!;
  watch();
  endpoint.answer = { body: bodyWith("one", "two") };
  await expect.poll(revision).toBe(2);
  expect(await registered()).toMatchObject({ id, additionalHeaders: { "x-key": "k-1" }, metadata: { team: "blue" } });
  expect(endpoint.asked.every((headers) => headers["x-key"] === "k-1")).toBe(true);
});

it("an operator's new settings do not count as a change of the deployment, and a changed deployment keeps them", async () => {
  await stage.register(endpoint.uri);
  watch();
  expect(await ask("PATCH", "/services/Growing", { public: false, journal_retention: "3h" })).toBe(200);
  await aCheck();
  expect(await revision()).toBe(1);
  endpoint.answer = { body: bodyWith("one", "two") };
  await expect.poll(revision).toBe(2);
  expect((await registered())!.services[0]!.settings).toEqual({ private: true, journalRetentionMs: 10_800_000 });
});

it("a deployment that `dev` found stays removed, even with changed handlers, until an operator registers it", async () => {
  watch();
  await expect.poll(revision).toBe(1);
  await ask("DELETE", `/deployments/${(await registered())!.id}?force=true`);
  await expect.poll(() => told).toContain("registration.ended");
  const asked = endpoint.asked.length;
  endpoint.answer = { body: bodyWith("one", "two") };
  await stage.local.engine.clock.sleep(3_000);
  expect([await registered(), endpoint.asked.length]).toEqual([undefined, asked]);
  await stage.register(endpoint.uri, WITH_KEY);
  await expect.poll(() => told).toContain("deployment.unchanged");
  endpoint.answer = { body: bodyWith("two") };
  await expect.poll(revision).toBe(2);
  expect(await registered()).toMatchObject({ additionalHeaders: { "x-key": "k-1" } });
});

it.each(["until-registered", "until-changed"] as const)(
  "a deployment that was moved to another address is not registered at the former one again (%s)",
  async (staysRemoved) => {
    const elsewhere = await startEndpoint({});
    elsewhere.answer = { body: bodyWith("one") };
    watch(staysRemoved);
    await expect.poll(revision).toBe(1);
    const { id } = (await registered())!;
    expect(await ask("PATCH", `/deployments/${id}`, { uri: elsewhere.uri })).toBe(200);
    await expect.poll(() => told.at(-1)).toMatch(/registration\.(?:ended|held-back)/);
    await stage.local.engine.clock.sleep(2_500);
    const deployments = await stage.local.engine.registry.deployments();
    expect(deployments).toMatchObject([{ id, destination: { uri: `${elsewhere.uri}/` } }]);
    await elsewhere.close();
  },
);
