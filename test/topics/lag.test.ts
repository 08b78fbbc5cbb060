/** Tests that the admin API and the page Topics in a real browser show the lag of a subscription against the broker's log. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../browser/tab.mjs";
import { signInUrl } from "../harness/local/admin-access.ts";
import { chromiumPath, installPackages } from "../harness/browser/chromium.mjs";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { until } from "../running-processes.ts";
import { startKfake, type Broker } from "./broker.ts";
import { ask, configure, subscribe, subscription } from "./control-plane.ts";
import { openProducer, type TestProducer } from "./producer.ts";
import { noteTakers, type Seen } from "./sinks.ts";
import { expectNone } from "../complaints.ts";

const TOPIC = "orders";
const seen: Seen[] = [];

let broker: Broker;
let producer: TestProducer;
let stage: LocalStage;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  installPackages(join(import.meta.dirname, "../browser"), "playwright-core");
  [broker, stage, browser] = await Promise.all([
    startKfake(),
    openLocalStage({ services: noteTakers(seen) }),
    openBrowser(chromiumPath(), signInUrl),
  ]);
  producer = openProducer(broker.address);
  await producer.createTopic(TOPIC, 2);
  await configure(stage, broker.address);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await producer.close();
  await broker.remove();
});

const send = (...values: readonly string[]) =>
  producer.send(
    TOPIC,
    values.map((value) => ({ key: value, value })),
  );

async function lagOf(id: string): Promise<number | undefined> {
  const { partitions } = await subscription(stage, id);
  return partitions.every(({ lag }) => lag !== undefined)
    ? partitions.reduce((sum, { lag }) => sum + lag!, 0)
    : undefined;
}

test("records that no handler takes are the lag in API and browser, and the lag is gone when they are accepted", async () => {
  const id = await subscribe(stage, TOPIC, "Plain/take");
  await send("1", "2", "3");
  await until(() => seen.length === 3);
  await until(async () => (await subscription(stage, id)).partitions.length === 2 && (await lagOf(id)) === 0);
  const { page, goTo, complaints, close } = await browser.openTab(`${stage.adminUri}/`);
  await goTo("topics");
  const shown = (): Promise<string> => page.locator(".lag .number").innerText();
  await page.getByText("consuming").first().waitFor();
  expect(await shown()).toBe("0");

  const { deployments } = await ask<{ deployments: readonly { id: string }[] }>(stage, "GET", "deployments");
  await ask(stage, "DELETE", `deployments/${deployments[0]!.id}?force=true`);
  await send("4", "5", "6", "7", "8");
  await until(async () => (await lagOf(id)) === 5);
  await goTo("overview");
  await goTo("topics");
  await page.getByText("failing").first().waitFor();
  expect(await shown()).toBe("5");
  await page.getByText(/'Plain\/take' of the sink is not registered any more/).waitFor();

  await stage.register(stage.endpointUri!);
  await until(async () => (await lagOf(id)) === 0);
  expect(seen.map(({ text }) => text).toSorted()).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  await goTo("overview");
  await goTo("topics");
  await page.getByText("consuming").first().waitFor();
  expect(await shown()).toBe("0");
  expectNone(complaints);
  await close();
});
