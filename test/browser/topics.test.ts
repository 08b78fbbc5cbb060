/** Tests the page of topics: the first steps if there is no cluster, and how a subscription is made, fails and is changed. */
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import type { SubscriptionBody } from "../../shared/api/contract/topics.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
const SOURCE = "kafka://main/orders";

/** Nothing listens at the port, so the broker refuses each connection. */
async function addCluster(name: string): Promise<void> {
  await stage.ask("POST", "/kafka-clusters", { name, properties: { "bootstrap.servers": "127.0.0.1:1" } });
}

async function onlySubscription() {
  const { subscriptions } = await stage.ask("GET", "/subscriptions");
  expect(subscriptions).toHaveLength(1);
  return subscriptions[0];
}

/** Opens the dialog of a change, and makes the change. */
async function change(page: Page, verb: string, result: RegExp, prepare?: () => Promise<void>): Promise<void> {
  await page.getByRole("button", { name: `${verb} … ${SOURCE}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${SOURCE} → service://Greeter/greet`).waitFor();
  await prepare?.();
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await dialog.getByRole("status").getByText(result).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
}

test("without a cluster the page says how to add one", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("topics");
  await page.getByRole("heading", { name: "No Kafka cluster is configured" }).waitFor();
  await page.getByText("POST /kafka-clusters").waitFor();
  expect(await page.getByRole("button", { name: "Subscribe a handler" }).count()).toBe(0);
  expect(await axe()).toEqual([]);
});

test("a cluster appears with its brokers, and the keys g and k lead to the page", async () => {
  await addCluster("main");
  const { page, goTo } = await stage.openTab();
  await goTo("overview");
  await page.getByRole("link", { name: "Topics" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.getByRole("heading", { name: "No handler is subscribed to a topic" }).waitFor();
  await page.getByRole("cell", { name: "127.0.0.1:1" }).waitFor();
});

test("a refused subscription shows its code and remedy in place, and is created once its values are correct", async () => {
  await stage.register();
  const { page, goTo, axe } = await stage.openTab();
  await goTo("topics");
  await page.getByRole("button", { name: "Subscribe a handler" }).click();
  const subscribe = page.getByRole("button", { name: "Subscribe", exact: true });
  expect(await subscribe.isDisabled()).toBe(true);
  await page.getByRole("textbox", { name: "Topic" }).fill("orders!");
  await page.getByRole("combobox", { name: "Handler" }).selectOption({ label: "Greeter/greet" });
  await page.getByLabel("Begin with the earliest record").check();
  await subscribe.click();
  await page.getByRole("alert").getByText("META0009").waitFor();
  await page.getByRole("alert").getByText("names no topic").waitFor();
  await page.getByText("What to do:").waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole("textbox", { name: "Topic" }).fill("orders");
  await page.getByRole("button", { name: "add options" }).click();
  await page.getByLabel("Options, name 1").fill("stepwell.bad-record");
  await page.getByLabel("Options, value 1").fill("skip");
  await subscribe.click();
  await page.getByRole("alert").getByText("there is no option 'stepwell.bad-record'").waitFor();
  await page.getByRole("button", { name: "Remove row 1 of Options" }).click();
  await subscribe.click();
  await page.getByRole("status").getByText("Subscribed").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  const { source, sink, options } = await onlySubscription();
  expect({ source, sink }).toEqual({ source: SOURCE, sink: "service://Greeter/greet" });
  expect(options).toMatchObject({ "auto.offset.reset": "earliest" });
});

test("a subscription whose broker refuses connections is shown as failing with the error, and leads to its service", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("topics");
  const row = page.getByRole("row").filter({ hasText: "orders" });
  await row.getByRole("cell", { name: "failing", exact: true }).waitFor();
  await row.getByText("127.0.0.1:1").waitFor();
  const handler = row.getByRole("link", { name: "Greeter/greet" });
  expect(await handler.getAttribute("href")).toBe("#/services/Greeter?handler=greet");
  await row.getByRole("button", { name: `Partitions of ${SOURCE}` }).click();
  await page.getByText("No record was read yet").waitFor();
  await page.getByText("auto.offset.reset").waitFor();
  const { id } = await onlySubscription();
  expect(page.url()).toContain(`open=${id}`);
  expect(await axe()).toEqual([]);
});

test("the dialogs of pause, resume and reset explain the change, and the server makes it", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("topics");
  const row = page.getByRole("row").filter({ hasText: "orders" });
  await change(page, "Pause", /^✓ Paused/, async () => {
    await page.getByText("No further record is read").waitFor();
    expect(await axe()).toEqual([]);
  });
  await row.getByRole("cell", { name: "paused", exact: true }).waitFor();
  expect((await onlySubscription()).pause).toMatchObject({ reason: "order" });
  await change(page, "Reset", /still paused/, async () => {
    await page.getByLabel("Time").check();
    expect(await page.getByRole("button", { name: "Reset", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Moment (UTC)").fill("2026-01-31T10:00:00");
    expect(await axe()).toEqual([]);
  });
  await change(page, "Resume", /^✓ Resumed/);
  await row.getByRole("cell", { name: "failing", exact: true }).waitFor();
  expect((await onlySubscription()).pause).toBeUndefined();
  await change(page, "Reset", /^✓ Reset/, () => page.getByLabel("Earliest").check());
});

/** The members that a subscription has while its broker answers. The broker of this file refuses each connection. */
const READ: Partial<SubscriptionBody> = {
  status: "paused",
  pause: {
    reason: "bad-record",
    at: "2026-01-31T10:00:00Z",
    partition: 1,
    offset: 41,
    bad_record: "key-not-utf8",
    detail: "the key is not UTF-8",
  },
  partitions: [
    { partition: 0, next_offset: 1_200, lag: 1_234, skipped: 0, moved_at: "2026-01-31T09:00:00Z" },
    { partition: 1, next_offset: 41, lag: 2, skipped: 3 },
    { partition: 2, next_offset: 7, skipped: 0 },
  ],
};

test.each([1280, 390])(
  "at %i px, lag, partitions and a bad record are shown, and a reset passes over it",
  async (width) => {
    const { page, goTo, axe } = await stage.openTab({ width });
    await page.route(/\/subscriptions$/, async (route) => {
      const body = JSON.stringify({ subscriptions: [{ ...(await onlySubscription()), ...READ }] });
      await route.fulfill({ status: 200, contentType: "application/json", body });
    });
    await goTo("topics");
    await page.getByText("≥ 1,236").waitFor();
    await page.getByText(/before a bad record: partition 1, offset 41; the key is not UTF-8/).waitFor();
    await page.getByRole("button", { name: `Partitions of ${SOURCE}` }).click();
    await page.getByRole("cell", { name: "1,234" }).waitFor();
    await page.screenshot({ path: join(inject("screensFolder"), `topics-partitions-${width}.png`) });
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    expect(await axe()).toEqual([]);
    const asked: (string | null)[] = [];
    await page.route(/\/subscriptions\/sub_/, async (route) => {
      asked.push(route.request().postData());
      await route.continue();
    });
    await change(page, "Reset", /^✓ Reset/, async () => {
      await page.getByText("partition 1, offset 42; the other partitions stay where they are").waitFor();
      await page.screenshot({ path: join(inject("screensFolder"), `topics-reset-${width}.png`) });
    });
    expect(asked).toEqual(['{"reset":{"offsets":{"1":42}}}']);
  },
);

test("a refused change shows the reason, and can be tried again", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("topics");
  await page.getByRole("button", { name: `Pause … ${SOURCE}` }).waitFor();
  const refusal = { status: 500, contentType: "application/json", body: '{"message":"The store is read-only (E42)"}' };
  const isChange = /\/subscriptions\/sub_/;
  await page.route(isChange, (route) => route.fulfill(refusal));
  await page.getByRole("button", { name: `Pause … ${SOURCE}` }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("alert").getByText("The store is read-only (E42)").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await onlySubscription()).pause).toBeUndefined();
});

test("a row says that the cluster of its subscription is missing, and a deleted subscription has no row", async () => {
  await stage.ask("DELETE", "/kafka-clusters/main?force=true");
  const { page, goTo } = await stage.openTab();
  await goTo("topics");
  await page.getByRole("cell", { name: "no cluster", exact: true }).waitFor();
  await addCluster("main");
  await change(page, "Delete", /^✓ Deleted/);
  await page.getByRole("heading", { name: "No handler is subscribed to a topic" }).waitFor();
  expect((await stage.ask("GET", "/subscriptions")).subscriptions).toEqual([]);
});
