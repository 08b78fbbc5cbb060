/** `stepwell dev --register` during development: it waits, registers, and registers changes. */
import { createServer } from "node:http2";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchDeployment, type Watching } from "../../../functions/local/watch-deployment.ts";
import type { Log } from "../../../shared/engine/ports/log.ts";
import { startServer } from "../../harness/https/peer.ts";
import { openLocalStage, type Listening, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";

let stage: LocalStage;
let stopping: AbortController;
let watching: Promise<void>;
let told: string[];

const log: Log = { write: (event) => void told.push(event) };

beforeEach(async () => {
  stage = await openLocalStage({});
  stopping = new AbortController();
  told = [];
});

afterEach(async () => {
  stopping.abort();
  await watching;
  await stage.close();
});

function watch(uri: string, again: boolean, staysRemoved: Watching["staysRemoved"] = "until-changed"): void {
  const how = { again, staysRemoved, log };
  watching = watchDeployment(stage.local.engine, { uri, useHttp11: false }, how, stopping.signal);
}

interface Served extends Listening {
  /** How many requests it got. */
  asked(): number;
}

/** Serves a deployment with these handlers; if `port` is given, this deployment replaces an earlier one at that port. */
async function serve(handlers: readonly string[], port = 0): Promise<Served> {
  const named = Object.fromEntries(handlers.map((name) => [name, async () => name]));
  const services = [service({ name: "Growing", handlers: named })];
  const server = createServer(createEndpointHandler({ services, logger: () => {} }));
  let asked = 0;
  server.on("stream", () => (asked += 1));
  const { uri, stop } = await startServer(server, "http", port);
  return { uri, close: stop, asked: () => asked };
}

async function registered(): Promise<string | undefined> {
  type Body = {
    readonly services: readonly { readonly revision: number; readonly handlers: readonly { name: string }[] }[];
  };
  const response = await fetch(`${stage.adminUri}/services`);
  const [found] = ((await response.json()) as Body).services;
  return found === undefined ? undefined : `${found.handlers.map(({ name }) => name).join(",")}@${found.revision}`;
}

const becomes = (expected: string): Promise<void> => expect.poll(registered).toBe(expected);

it("a deployment that comes back with other handlers is registered again, and an unchanged one is not", async () => {
  const first = await serve(["one"]);
  const port = Number(new URL(first.uri).port);
  watch(first.uri, true);
  await becomes("one@1");
  await first.close();
  await expect.poll(() => told).toContain("registration.delayed");
  const second = await serve(["one", "two"], port);
  await becomes("one,two@2");
  await second.close();
  const third = await serve(["one", "two"], port);
  await expect.poll(third.asked).toBeGreaterThanOrEqual(2);
  await becomes("one,two@2");
  await third.close();
});

it("without watching, a deployment is registered once", async () => {
  const first = await serve(["one"]);
  watch(first.uri, false);
  await watching;
  await becomes("one@1");
  await first.close();
});

async function removeDeployment(): Promise<void> {
  const { deployments } = (await (await fetch(`${stage.adminUri}/deployments`)).json()) as {
    deployments: readonly { readonly id: string }[];
  };
  await fetch(`${stage.adminUri}/deployments/${deployments[0]!.id}?force=true`, { method: "DELETE" });
}

it("a deployment that was removed is not registered again before its handlers change", async () => {
  const first = await serve(["one"]);
  const port = Number(new URL(first.uri).port);
  watch(first.uri, true);
  await becomes("one@1");
  await removeDeployment();
  await expect.poll(() => told).toContain("registration.held-back");
  await first.close();
  const second = await serve(["one"], port);
  await expect.poll(second.asked).toBeGreaterThanOrEqual(2);
  expect(await registered()).toBeUndefined();
  await second.close();
  const third = await serve(["one", "two"], port);
  await becomes("one,two@1");
  // The removal is logged once. The absence of the deployment for a moment is not logged as a wait.
  expect(told).toEqual(["registration.held-back"]);
  await third.close();
});

it("a removed deployment that an operator registers is watched again", async () => {
  const first = await serve(["one"]);
  const port = Number(new URL(first.uri).port);
  watch(first.uri, true);
  await becomes("one@1");
  await removeDeployment();
  await expect.poll(() => told).toContain("registration.held-back");
  await stage.register(first.uri);
  await expect.poll(() => told).toContain("deployment.unchanged");
  await first.close();
  const second = await serve(["two"], port);
  await becomes("two@2");
  await second.close();
});

it("before a replacement drops a handler of open invocations, a log line has the number of the invocations and five of their ids", async () => {
  const first = await serve(["stays", "sleeps", "idle"]);
  const port = Number(new URL(first.uri).port);
  watch(first.uri, true);
  await becomes("stays,sleeps,idle@1");
  const send = async (handler: string): Promise<string> => {
    const url = `${stage.ingressUri}/Growing/${handler}/send?delay=1h`;
    return ((await (await fetch(url, { method: "POST" })).json()) as { invocationId: string }).invocationId;
  };
  const ids: string[] = [];
  for (let sent = 0; sent < 7; sent++) ids.push(await send("sleeps"));
  await send("stays");
  await first.close();
  const second = await serve(["stays"], port);
  await becomes("stays@2");
  const warned = stage.logged.filter((line) => line.includes("no longer has a handler"));
  expect(warned).toEqual([expect.stringMatching(/ WARN .* target=Growing\/sleeps open=7 invocationIds=/)]);
  const named = [...warned[0]!.matchAll(/inv_\w+/g)].map(([id]) => id);
  expect(named).toHaveLength(5);
  expect(ids).toEqual(expect.arrayContaining(named));
  await second.close();
});
