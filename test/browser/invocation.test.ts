/**
 * The page of one invocation in a browser: waits, timeline, details, failures, the ways out of a journal mismatch, and
 * actions with their results.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { code, shelf, steps } from "./invocation-services.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage([steps, shelf]);

beforeAll(async () => {
  await stage.register();
});

const operations = (page: Page) => page.getByRole("list", { name: "Operations" });
const row = (page: Page, name: string | RegExp) => operations(page).getByRole("button", { name });
const details = (page: Page) => page.getByRole("complementary", { name: "Details of the chosen row" });

async function opened(id: string, query = "", options = {}) {
  const tab = await stage.openTab(options);
  await tab.goTo(`invocations/${id}${query}`);
  await tab.page.locator("h1").waitFor();
  return tab;
}

describe("the timeline", () => {
  test("has a row for each operation, and equal siblings are one group that opens", async () => {
    const id = await stage.send("/Steps/order/send", { id: "o-17" }, "completed");
    const { page, axe } = await opened(id);
    await row(page, /run reserve stock/).waitFor();
    await row(page, /group of run notify × 8/).waitFor();
    const before = await operations(page).getByRole("listitem").count();
    await operations(page).getByRole("button", { name: "Expand" }).last().click();
    await row(page, /entry \d+, run notify/)
      .first()
      .waitFor();
    expect(await operations(page).getByRole("listitem").count()).toBe(before + 8);
    expect(await axe()).toEqual([]);
  });

  test("a call opens in place, with the failed attempts of the called invocation", async () => {
    const id = await stage.send("/Steps/order/send", { id: "o-18" }, "completed");
    const { page } = await opened(id);
    await operations(page).getByRole("button", { name: "Expand" }).first().click();
    await row(page, /run charge card.*1 failed attempt/).click();
    await details(page).getByText("the acquirer timed out").waitFor();
    await details(page).getByText('"r-1"').waitFor();
    expect(page.url()).toMatch(/entry=\d+&of=inv_/);
  });

  test("an address opens an entry, and shows its value", async () => {
    const id = await stage.send("/Steps/order/send", { id: "o-19" }, "completed");
    const { page } = await opened(id, "?entry=2");
    await details(page).getByText('"reserved": 3').waitFor();
    await page.keyboard.press("Escape");
    await details(page).waitFor({ state: "detached" });
    expect(page.url()).not.toContain("entry");
  });

  test("keys choose rows, a search filters them, and the address contains the search and the zoom", async () => {
    const id = await stage.send("/Steps/order/send", { id: "o-20" }, "completed");
    const { page } = await opened(id);
    await row(page, /run reserve stock/).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await details(page).getByText("reserve stock").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("notify");
    await page.getByText(/, 8 rows/).waitFor();
    expect(page.url()).toContain("find=notify");
    await page.keyboard.press("Escape");
    await page.keyboard.press("+");
    expect(page.url()).toMatch(/range=\d+-\d+/);
    await page.keyboard.press("0");
    expect(page.url()).not.toContain("range");
    await page.getByLabel("Find an operation").fill("no such operation");
    await page.getByText("No operation contains").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await row(page, /run reserve stock/).waitFor();
  });

  test("a long wait is collapsed, and shown whole on demand", async () => {
    const id = await stage.send("/Steps/sleeps/send", null, "completed");
    const { page } = await opened(id);
    const label = page.locator('[title^="only waits pass"]');
    await label.waitFor();
    await page.keyboard.press("z");
    await label.waitFor({ state: "detached" });
    expect(page.url()).toContain("waits=whole");
  });

  test("bytes of a serializer are decoded by the service", async () => {
    const bytes = new TextEncoder().encode('{"a":1}').map((byte) => byte ^ 0x80);
    const response = await fetch(`${stage.ingressUrl}/Steps/odd/send`, {
      method: "POST",
      headers: { "content-type": "application/x-flipped" },
      body: bytes,
    });
    const { invocationId } = (await response.json()) as { invocationId: string };
    await stage.untilStatus(invocationId, "completed");
    const { page } = await opened(invocationId);
    await page.getByText("fb a2 e1 a2 ba b1 fd").first().waitFor();
    await page.getByRole("button", { name: "Decode by the service" }).first().click();
    await page.getByText('"a": 1').waitFor();
  });
});

describe("the waits of an invocation", () => {
  test("are shown down to the last cause, and the awakeable there is resolved in place", async () => {
    const holder = await stage.send("/Shelf/a/hold/send", null, "suspended");
    const waiting = await stage.send("/Shelf/a/peek/send", null, "pending");
    const { page, axe } = await opened(waiting);
    const waits = page.getByRole("region", { name: "Waits for" });
    await waits.getByText("has the key").waitFor();
    expect(await waits.innerText()).toMatch(/its key: next; Shelf\/a\/hold .*which waits .* for the awakeable sign_/s);
    await waits.getByRole("button", { name: "Resolve …" }).click();
    const dialog = page.getByRole("dialog", { name: "Resolve the awakeable?" });
    await dialog.getByLabel("Value, as JSON").fill("{");
    expect(await dialog.getByRole("button", { name: "Resolve", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Value, as JSON").fill('"go"');
    expect(await axe()).toEqual([]);
    await dialog.getByRole("button", { name: "Resolve", exact: true }).click();
    await dialog.getByText("The server accepted the result.").waitFor();
    await stage.untilStatus(holder, "completed");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page
      .getByText(/succeeded$/)
      .first()
      .waitFor();
  });

  test("a rejected awakeable fails the invocation with the given message", async () => {
    const id = await stage.send("/Steps/waits/send", null, "suspended");
    const { page } = await opened(id);
    await page.getByRole("button", { name: "Reject …" }).click();
    await page.getByLabel("Message of the failure").fill("not today");
    await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByText("The server accepted the result.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { name: /Failed with code 500/ }).waitFor();
    await page.getByText("not today").first().waitFor();
  });

  test("a failed attempt shows its code, its command and its remedy", async () => {
    const id = await stage.send("/Steps/stumble/send", null, "backing-off");
    const { page } = await opened(id);
    const failures = page.getByRole("region", { name: "Failures" });
    await failures.getByText("connect ECONNREFUSED 10.0.0.7:25", { exact: true }).waitFor();
    expect(await failures.innerText()).toMatch(/RT0007[\s\S]*Run send mail[\s\S]*What to do: /);
    await row(page, /run send mail.*1 failed attempt/).waitFor();
    await failures.getByRole("button", { name: "find in the timeline" }).click();
    expect(page.url()).toContain("find=send+mail");
  });
});

test("changed code is shown beside the journal, with the ways out", async () => {
  const id = await stage.send("/Steps/drift/send", null, "suspended");
  code.step = "other";
  await stage.untilStatus(id, "backing-off");
  const { page, axe } = await opened(id);
  const mismatch = page.getByRole("region", { name: "Journal mismatch" });
  await mismatch.getByText("The code and the journal differ at entry").waitFor();
  expect(await mismatch.innerText()).toMatch(/Run 'two'[\s\S]*Run 'other'/);
  expect(await axe()).toEqual([]);
  code.step = "two";
  await mismatch.getByRole("button", { name: "Resume …" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await stage.untilStatus(id, "completed");
});

describe("an action", () => {
  test("names its consequences, and shows its result; then the next actions follow the new state", async () => {
    const id = await stage.send("/Steps/waits/send", null, "suspended");
    const { page } = await opened(id);
    const actions = page.getByRole("group", { name: "Actions" });
    await actions.getByRole("button", { name: "Pause …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The journal stays.", { exact: false }).waitFor();
    await dialog.getByText(`stepwell invocations pause ${id}`).waitFor();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByText("The invocation is now paused.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText(/Paused\s+by order/).waitFor();
    expect(await actions.getByRole("button").allInnerTexts()).toEqual(["Resume …", "Cancel …", "Kill …"]);
    await actions.getByRole("button", { name: "Resume …" }).click();
    await dialog.getByRole("button", { name: "Resume" }).click();
    await dialog.getByText(/The invocation is now (suspended|running)/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await actions.getByRole("button", { name: "Cancel …" }).click();
    await dialog.getByRole("button", { name: "Cancel the invocation" }).click();
    await dialog.getByText("The invocation is now cancelled.").waitFor();
  });

  test("kills, restarts from an entry, and purges", async () => {
    const id = await stage.send("/Steps/order/send", { id: "o-21" }, "completed");
    const { page } = await opened(id, "?entry=3");
    await details(page).getByRole("button", { name: "Restart from here …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Entries 0 to 2 stay with their results. Entries 3", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Restart", exact: true }).click();
    const link = dialog.getByRole("link");
    await link.waitFor();
    const restarted = await link.innerText();
    await stage.untilStatus(restarted, "completed");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Purge …" }).click();
    await dialog.getByRole("button", { name: "Purge" }).click();
    await page.getByRole("heading", { name: "No such invocation" }).waitFor();
    await page.getByText(id).waitFor();
    const killed = await stage.send("/Steps/waits/send", null, "suspended");
    const second = await opened(killed);
    await second.page.getByRole("button", { name: "Kill …" }).click();
    await second.page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await second.page.getByText("The invocation is now killed.").waitFor();
  });

  test("shows the server's refusal in its dialog", async () => {
    const id = await stage.send("/Steps/waits/send", null, "suspended");
    const { page } = await opened(id);
    await page.getByRole("button", { name: "Resume …" }).click();
    await page.getByRole("dialog").getByLabel("On the deployment").selectOption("latest");
    await page.route(/\/resume/, (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/json",
        body: '{"message":"not now","restate_code":null}',
      }),
    );
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await page.getByRole("alert").getByText("not now").waitFor();
  });
});

test("the page of an unknown invocation shows the id, and names the possible reasons", async () => {
  const { page } = await opened("inv_1nothing");
  await page.getByText("inv_1nothing").waitFor();
});

test("the page names the origin and the retention of an invocation, and a lower bound of its cost", async () => {
  const id = await stage.send("/Steps/order/send", { id: "o-22" }, "completed");
  const { page } = await opened(id);
  const facts = page.getByRole("region", { name: "Facts" });
  await facts.getByText("a request to the ingress").waitFor();
  await facts.getByText("result 1d, journal 1d").waitFor();
  const cost = page.getByRole("region", { name: "Cost and writes" });
  expect(await cost.innerText()).toMatch(/Write units\s+\d+\s+\$0\.0000\d+/);
  await page.getByText("AWS would charge this", { exact: false }).waitFor();
});

test("a page with 10,000 entries keeps few of its rows in the document; the test prints the page's longest task", async () => {
  const { invocationId: id } = await stage.call("/Shelf/long/fill/send");
  // Reading the status again and again would read the whole journal each time.
  await fetch(`${stage.ingressUrl}/restate/invocation/${id}/attach`);
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.evaluate(`
    globalThis.blocks = [0];
    const note = (list) => blocks.push(...list.getEntries().map(({ duration }) => duration));
    new PerformanceObserver(note).observe({ entryTypes: ["longtask"] });
    location.hash = "#/invocations/${id}";
  `);
  await row(page, /state set key 0\b/)
    .first()
    .waitFor();
  for (let at = 0; at < 20; at++) await page.mouse.wheel(0, 4_000);
  await page.keyboard.press("+");
  await page.keyboard.press("z");
  await page.keyboard.press("]");
  await page.getByLabel("Find an operation").fill("step 3");
  await page.getByText(/, 7\d rows/).waitFor();
  const longest = await page.evaluate<number>("Math.round(Math.max(...blocks))");
  console.log(`longest block of a page with 10,000 entries: ${longest} ms`);
  expect(await operations(page).getByRole("listitem").count()).toBeLessThan(150);
});
