/** The page of one invocation in a browser: what runs now, long failures, cut values, and the lines that call again. */
import { beforeAll, describe, expect, test } from "vitest";
import { gate, steps } from "./invocation-services.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage([steps]);

beforeAll(async () => {
  await stage.register();
});

const operations = (page: Page) => page.getByRole("list", { name: "Operations" });
const row = (page: Page, name: string | RegExp) => operations(page).getByRole("button", { name });
const details = (page: Page) => page.getByRole("complementary", { name: "Details of the chosen row" });

async function opened(id: string) {
  const tab = await stage.openTab();
  await tab.goTo(`invocations/${id}`);
  await tab.page.locator("h1").waitFor();
  return tab;
}

describe("an invocation that runs", () => {
  test("says which step runs, in the title of the tab too, and leads to entries that are stored out of view", async () => {
    const id = await stage.send("/Steps/chunks/send", null, "running");
    const { page, axe } = await opened(id);
    const waits = page.getByRole("region", { name: "Waits for" });
    await waits.getByText("chunk 94").waitFor();
    expect(await waits.innerText()).toMatch(/runs chunk 94, \d[\d.]* (ms|s) · attempt \d on dp_/);
    await expect.poll(() => page.title()).toBe("▶ Steps/chunks running · invocations · Stepwell");
    await expect.poll(() => page.locator("link[rel=icon]").getAttribute("href")).toMatch(/^\.\.\/ui\/icon-running-/);
    await page.setViewportSize({ width: 1_280, height: 500 });
    gate.pass();
    const fresh = page.getByRole("button", { name: /\d+ new entries/ });
    await fresh.waitFor();
    await page
      .getByRole("status")
      .filter({ hasText: /^running, runs chunk 9\d, \d+ entries$/ })
      .waitFor({ state: "attached" });
    expect(await axe()).toEqual([]);
    await fresh.click();
    await fresh.waitFor({ state: "detached" });
    gate.end();
    await stage.untilStatus(id, "completed");
    await expect.poll(() => page.title()).toBe("✓ Steps/chunks succeeded · invocations · Stepwell");
    await page.goto(`${stage.adminUrl}/ui/#/services`);
    await expect.poll(() => page.title()).toBe("services · Stepwell");
    await expect
      .poll(() => page.locator("link[rel=icon]").getAttribute("href"))
      .toMatch(/^\.\.\/ui\/icon-[A-Z0-9]{8}\.svg$/);
  });
});

test("a long failure is folded, and the output is that failure", async () => {
  const id = await stage.send("/Steps/fails/send", "no tea", "completed");
  const { page } = await opened(id);
  const failures = page.getByRole("region", { name: "Failures" });
  await failures.getByText("no tea").waitFor();
  expect((await failures.innerText()).length).toBeLessThan(1_000);
  const facts = page.getByRole("region", { name: "Input and output" });
  await facts.getByText("A failure, code 418").waitFor();
  await facts.getByText("no tea").last().waitFor();
  await failures.getByRole("button", { name: /show all 10,\d{3} characters/ }).click();
  expect((await failures.innerText()).length).toBeGreaterThan(10_000);
  await row(page, /output/)
    .first()
    .click();
  await details(page).getByText("✕ a failure").waitFor();
  expect(await details(page).getByText("The entry has no value").count()).toBe(0);
});

test("the copied curl line does the invocation again", async () => {
  const id = await stage.send("/Steps/order/send", { id: "o-99" }, "completed");
  const { page } = await opened(id);
  await page.getByRole("button", { name: "Copy curl, calls again" }).click();
  await page.getByText("copied").waitFor();
  const line = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(line).toBe(
    `curl ${stage.ingressUrl}/Steps/order \\\n  -H 'content-type: application/json' \\\n  -d '{"id":"o-99"}'`,
  );
  await page.getByRole("button", { name: "Copy curl, reads this" }).click();
  await expect
    .poll(() => page.evaluate<string>("navigator.clipboard.readText()"))
    .toBe(`curl ${stage.adminUrl}/invocations/${id}`);
});

test("a cut value is labelled as cut JSON, and indented", async () => {
  const id = await stage.send("/Steps/order/send", { id: "o-1", more: "x".repeat(400_000) }, "completed");
  const { page } = await opened(id);
  const facts = page.getByRole("region", { name: "Input and output" });
  await facts.getByText(/JSON, cut: the first \d+ KB of 391 KB/).waitFor();
  expect(await facts.locator("pre").first().innerText()).toMatch(/^\{\n {2}"id": "o-1",\n {2}"more": "xxx/);
});
