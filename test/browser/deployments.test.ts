/** Tests the page of deployments: dry runs, registration, each refusal with its remedy, update and removal. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { afterAll, expect, inject, test } from "vitest";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
/** The next version of one service of the stage: it has another handler in place of the others. */
const greeter = restate.service({ name: "Greeter", handlers: { wave: async () => "o/" } });
const next = createServer(restate.createEndpointHandler({ services: [greeter], logger: () => {} }));
await new Promise<void>((resolve) => next.listen(0, "127.0.0.1", resolve));
const nextUrl = `http://127.0.0.1:${(next.address() as AddressInfo).port}/`;
afterAll(() => {
  next.closeAllConnections();
  next.close();
});

async function openForm(page: Page, address: string): Promise<void> {
  await page.getByRole("button", { name: "Register a deployment" }).click();
  await page.getByRole("textbox", { name: "Address" }).fill(address);
}

const look = (page: Page) => page.getByRole("button", { name: "Show what will change" }).click();

test("without a deployment the page says how to begin, and a dry run stores nothing", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("deployments");
  await page.getByRole("heading", { name: "No deployment is registered" }).waitFor();
  await openForm(page, stage.deploymentUrl);
  expect(await page.getByRole("button", { name: "Register", exact: true }).isDisabled()).toBe(true);
  await look(page);
  await page.getByRole("alert").getByText("META0014").waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole("button", { name: "Use HTTP/1.1 and look again" }).click();
  const plan = page.getByRole("group", { name: "Planned changes" });
  await plan.getByText("new service").first().waitFor();
  expect(await axe()).toEqual([]);
  expect((await stage.ask("GET", "/deployments")).deployments).toEqual([]);
  await page.getByRole("button", { name: "Register", exact: true }).click();
  await page.getByRole("status").getByText("Registered").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("cell", { name: "active", exact: true }).waitFor();
});

test("a plan for a form that has changed since is dropped, and a registration under way locks its form", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("deployments");
  const held: (() => void)[] = [];
  let answered = 0;
  const plan = { id: "dp_1planned", services: [] };
  await page.route(/\/deployments$/, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await new Promise<void>((resolve) => held.push(resolve));
    await route.fulfill({ status: 201, contentType: "application/json", body: JSON.stringify(plan) });
    answered++;
  });
  // Waits for the request of the page, because the page shows its progress before the request reaches the route above.
  const answer = async (): Promise<void> => {
    while (held.length === 0) await sleep(10);
    held.shift()!();
  };
  await openForm(page, "http://first.invalid:9080");
  await look(page);
  await page.getByRole("status").getByText("Discovering …").waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill("http://second.invalid:9080");
  await answer();
  while (answered === 0) await sleep(10);
  // This request is later, so once it is answered, the page has also received the answer for the first address.
  await page.evaluate("fetch('../version').then((response) => response.text())");
  const register = page.getByRole("button", { name: "Register", exact: true });
  expect(await register.isDisabled()).toBe(true);
  await look(page);
  await page.getByRole("status").getByText("Discovering …").waitFor();
  await answer();
  await page.getByText("Nothing is stored yet.").waitFor();
  await register.click();
  await page.getByRole("status").getByText("Registering …").waitFor();
  expect(await page.getByRole("textbox", { name: "Address" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  await answer();
  await page.getByRole("status").getByText("Registered").waitFor();
});

test("a known address and an address without an answer are refused with a remedy", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("deployments");
  await openForm(page, stage.deploymentUrl);
  await page.getByLabel("Use HTTP/1.1").check();
  await look(page);
  await page.getByRole("alert").getByText("META0004").waitFor();
  await page.getByRole("button", { name: "Replace that deployment and look again" }).click();
  await page.getByText("will replace dp_").waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill("1");
  await look(page);
  await page.getByRole("alert").getByText("META0003").waitFor();
  await page.getByText("What to do:").waitFor();
});

test("a plan lists the handlers that a version loses, and only force removes a deployment with open invocations", async () => {
  const id = (await stage.ask("GET", "/deployments")).deployments[0].id as string;
  await stage.send("/Greeter/nap/send", null, "suspended");
  const { page, goTo, axe } = await stage.openTab();
  await goTo("deployments");
  await openForm(page, nextUrl);
  await page.getByLabel("Use HTTP/1.1").check();
  await look(page);
  await page.getByRole("alert").getByText("META0006").waitFor();
  await page.getByRole("button", { name: "Allow breaking changes and look again" }).click();
  const plan = page.getByRole("group", { name: "Planned changes" });
  await plan.getByText("revision 1 → 2").waitFor();
  await plan.getByText("wave added").waitFor();
  await plan.getByText("nap removed").waitFor();
  await page.getByRole("button", { name: "Register", exact: true }).click();
  await page.getByRole("status").getByText("Registered").waitFor();
  await goTo(`deployments/${id}`);
  await page.getByRole("button", { name: "Remove …" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("alert").getByText("1 open invocation pinned").waitFor();
  const blockers = page.getByRole("link", { name: "The open invocations that are pinned here" });
  expect(await blockers.getAttribute("href")).toBe(`#/invocations?deployment=${id}&status=open`);
  expect(await page.getByRole("button", { name: "Remove", exact: true }).isDisabled()).toBe(true);
  expect(await axe()).toEqual([]);
  await page.getByLabel("Remove it all the same").check();
  await page.getByRole("button", { name: "Remove with force" }).click();
  await page.getByRole("status").getByText("Removed").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("heading", { name: "Deployments" }).waitFor();
  expect((await stage.ask("GET", "/deployments")).deployments.map((one: { id: string }) => one.id)).not.toContain(id);
});

test("an update in place shows its changes before it is done", async () => {
  const id = (await stage.ask("GET", "/deployments")).deployments[0].id as string;
  const { page, goTo } = await stage.openTab();
  await goTo(`deployments/${id}`);
  await page.getByRole("button", { name: "Update in place …" }).click();
  await page.getByLabel("Replace all headers").check();
  await page.getByRole("button", { name: "add headers" }).click();
  await page.getByLabel("Headers, name 1").fill("x-team");
  await page.getByLabel("Headers, value 1").fill("red");
  await look(page);
  await page.getByText("Nothing is stored yet. The update will do this:").waitFor();
  expect((await stage.ask("GET", `/deployments/${id}`)).additional_headers).toBeUndefined();
  await page.getByRole("button", { name: "Update", exact: true }).click();
  await page.getByRole("status").getByText("Updated").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("x-team").waitFor();
});

test("a probe shows what the deployment announces now, what differs, and that one does not answer", async () => {
  const services = { now: [restate.service({ name: "Prober", handlers: { ping: async () => "pong" } })] as never[] };
  const server = createServer((request, response) =>
    restate.createEndpointHandler({ services: services.now, logger: () => {} })(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id } = await stage.ask("POST", "/deployments", { uri, use_http_11: true });
  const { page, goTo, axe } = await stage.openTab();
  await goTo(`deployments/${id}`);
  await page.getByText("unknown: no circuit is open").waitFor();
  const probe = page.getByRole("button", { name: "Probe now" });
  const answer = page.getByRole("status", { name: "Probe" });
  await probe.click();
  await answer.getByText("it answers, and announces what is registered").waitFor();
  await page.getByText("reachable: it answered this server process").waitFor();
  services.now = [
    restate.service({ name: "Prober", handlers: { pong: async () => "ping" } }),
    restate.object({ name: "Counter2", handlers: { add: async () => 1 } }),
  ] as never[];
  await probe.click();
  await answer.getByText("3 differences").waitFor();
  const rows = page.getByRole("group", { name: "Differences" }).getByRole("row");
  expect((await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim())).toEqual([
    "Where What Registered Found",
    "Prober/ping handler service not announced",
    "Prober/pong handler not registered service",
    "Counter2 service not registered object",
  ]);
  expect(await axe()).toEqual([]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(inject("screensFolder"), `deployment-probe-differs-${colorScheme}.png`) });
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await probe.click();
  await answer.getByText("it does not answer").waitFor();
  await answer.getByText("ECONNREFUSED").waitFor();
  await page.getByText("reachable: it answered this server process").waitFor();
  await stage.ask("DELETE", `/deployments/${id}?force=true`);
});

test("an unknown deployment is named as such", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("deployments/dp_1unknown");
  await page.getByRole("heading", { name: "No such deployment" }).waitFor();
});
