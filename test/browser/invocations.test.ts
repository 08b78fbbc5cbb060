/**
 * Tests the list of invocations in a browser: filters, presets, keyboard shortcuts, new rows, and changes of many invocations at
 * once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
const NAPS = 1_050;
const ids: Record<string, string> = {};

beforeAll(async () => {
  await stage.register();
  ids["refused"] = await stage.send("/Greeter/refuse/send", null, "completed");
  ids["stumble"] = await stage.send("/Greeter/stumble/send", null, "backing-off");
  ids["hold"] = await stage.send(`/Counter/${encodeURIComponent("a b/\u202e<b>")}/hold/send`, null, "suspended");
  ids["await"] = await stage.send("/Greeter/await/send", null, "suspended");
});

const table = (page: Page) => page.getByRole("table", { name: "Invocations" });
const row = (page: Page, text: string | RegExp) => table(page).getByRole("row").filter({ hasText: text });

/**
 * Polls the address from the test process. Playwright's `waitForFunction` would evaluate its condition inside of the page again
 * and again, which the policy of the page forbids.
 */
async function untilAt(page: Page, hash: string): Promise<void> {
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs && !page.url().endsWith(hash);) await sleep(50);
  expect(page.url().endsWith(hash)).toBe(true);
}

const box = (page: Page) => page.getByRole("combobox", { name: "Filter" });

test("each row names its invocation and the reason of its status", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await row(page, "Greeter/refuse").waitFor();
  expect(await row(page, "Greeter/refuse").innerText()).toMatch(/failed[\s\S]*409 not today/);
  expect(await row(page, "Greeter/stumble").innerText()).toMatch(
    /backing off[\s\S]*next attempt in[\s\S]*RT0007 never well/,
  );
  expect(await row(page, "Greeter/await").innerText()).toMatch(/suspended[\s\S]*waits for the awakeable sign_1/);
  expect(await row(page, "Counter/").innerText()).toContain("a b/\\u{202e}<b>/hold");
  expect(await row(page, "Counter/").innerText()).toMatch(/sleeps, wakes in (59|1 h)/);
});

test("ended invocations show their deployment, and a filter by deployment finds them", async () => {
  const [{ id: deployment }] = (await stage.ask("GET", "/deployments")).deployments;
  const { page, goTo } = await stage.openTab();
  await goTo(`invocations?status=completed&deployment=${deployment}`);
  const link = row(page, "Greeter/refuse").locator(`a[href="#/deployments/${deployment}"]`);
  await link.waitFor();
  await box(page).fill("deployment:dp_1unknownunknownunknown status:completed");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /No invocation/ }).waitFor();
  expect(await row(page, "Greeter/refuse").count()).toBe(0);
  await box(page).fill(`deployment:${deployment} outcome:failed`);
  await page.keyboard.press("Enter");
  await link.waitFor();
});

test("a filter is completed from the registry, and the address keeps it over a reload", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await box(page).fill("serv");
  await page.getByRole("option").filter({ hasText: "service:" }).click();
  await page.getByRole("option").filter({ hasText: "service:Counter" }).waitFor();
  await page.keyboard.type("Cou");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type('key:"a b/\u202e<b>"');
  await page.keyboard.press("Enter");
  await row(page, "Greeter/refuse").waitFor({ state: "detached" });
  await row(page, "Counter/").waitFor();
  expect(page.url()).toContain("service=Counter");
  await page.reload();
  await row(page, "Counter/").waitFor();
  expect(await box(page).inputValue()).toBe('service:Counter key:"a b/\u202e<b>"');
});

test("a text that is no filter is refused with the reason, and an id leads to its page", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await box(page).fill("status:gone");
  await box(page).press("Enter");
  await page
    .getByRole("alert")
    .getByText(/'gone' is none of open/)
    .waitFor();
  await box(page).fill(ids["hold"]!);
  await box(page).press("Enter");
  await untilAt(page, `#/invocations/${ids["hold"]}`);
});

test.each([
  ["Needs attention", ["Greeter/stumble"]],
  ["Open", ["Greeter/await", "Counter/", "Greeter/stumble"]],
  ["Oldest open", ["Greeter/stumble", "Counter/", "Greeter/await"]],
  ["Failed", ["Greeter/refuse"]],
])("the preset %s lists %j in this order", async (preset, targets) => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await page.getByRole("link", { name: preset, exact: true }).click();
  await page.locator("[aria-current=true]").filter({ hasText: preset }).waitFor();
  await page.getByText(/all that match\.|oldest first\./).waitFor();
  const shown = (await table(page).getByRole("row").allInnerTexts()).slice(1);
  expect(shown).toHaveLength(targets.length);
  for (const [at, target] of targets.entries()) expect(shown[at]).toContain(target);
});

test("an empty list names its filter, and a failed load does not look like an empty list", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?service=Nobody");
  await page.getByRole("heading", { name: "No invocation matches" }).waitFor();
  await page.getByText("service:Nobody").waitFor();
  await goTo("invocations?created-before=1h");
  await page.getByText("created-before:1h").waitFor();
  await page.route(/\/invocations\?/, (route) => route.abort());
  await goTo("invocations?service=Somebody");
  await page.getByRole("alert").getByText("No answer").waitFor();
  expect(await page.getByRole("heading", { name: "No invocation matches" }).count()).toBe(0);
});

test("keyboard shortcuts move from row to row, select rows, go to the filter, and open an invocation", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await row(page, "Greeter/refuse").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("/");
  expect(await box(page).getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await page.keyboard.press("Enter");
  await untilAt(page, `#/invocations/${ids["refused"]}`);
});

test("new rows are announced, and shown when the reader asks for them", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await row(page, "Greeter/refuse").waitFor();
  await stage.call("/Greeter/greet", "Ann");
  await page.getByRole("button", { name: "1 new" }).waitFor();
  expect(await row(page, "Greeter/greet").count()).toBe(0);
  await page.getByRole("button", { name: "1 new" }).click();
  await row(page, "Greeter/greet").waitFor();
});

test("a change of selected rows leaves out those that it does not concern, and shows its result", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations");
  await row(page, "Greeter/stumble").getByRole("checkbox").check();
  await row(page, "Greeter/refuse")
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Pause 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause invocations" });
  await dialog.getByText("of the 2 selected; 1 cannot be paused as it is").waitFor();
  await dialog.getByText("No further attempt starts until each is resumed.").waitFor();
  await dialog.getByRole("button", { name: "Pause 1" }).click();
  await dialog.getByText(/^Paus(ed 1 of 1|ing 1, recorded and applied later)$/).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await row(page, "Greeter/stumble").getByText("paused").waitFor();
  await stage.untilStatus(ids["stumble"]!, "paused");
});

test("a refused change is shown with its reason, and its row stays selected", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?status=suspended");
  await row(page, "Greeter/await").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await stage.ask("PATCH", `/invocations/${ids["await"]}/kill`);
  await stage.untilStatus(ids["await"]!, "completed");
  const dialog = page.getByRole("dialog", { name: "Cancel invocations" });
  await dialog.getByRole("button", { name: "Cancel 1" }).click();
  await dialog.getByText("Cancelled 0 of 1 · 1 refused").waitFor();
  await dialog.getByText("Refused, and still selected:").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("1 selected").waitFor();
});

test("all matching invocations are changed in batches after their number was typed, and a stop spares the rest", async () => {
  for (let at = 0; at < NAPS; at += 50)
    await Promise.all(Array.from({ length: 50 }, () => stage.call("/Greeter/nap/send", null)));
  // An invocation that is parked after the search has read one page and before it reads the next may be on neither page.
  while ((await stage.ask("GET", "/internal/overview")).open.suspended <= NAPS) await sleep(100);
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?handler=nap");
  await row(page, "Greeter/nap").first().waitFor();
  const changeAll = async () => {
    await page.getByLabel(/All that match/).selectOption("kill");
    return page.getByRole("dialog", { name: "Kill invocations" });
  };
  let release = (): void => {};
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  await page.route(/batch_operations\/kill$/, async (route) => {
    await isHeld;
    await route.continue();
  });
  const dialog = await changeAll();
  await dialog.getByText("1,050 invocations").waitFor();
  await dialog.getByText("status:open handler:nap").waitFor();
  expect(await dialog.getByRole("listitem").count()).toBe(6);
  const kill = dialog.getByRole("button", { name: "Kill 1,050" });
  expect(await kill.isDisabled()).toBe(true);
  await dialog.getByLabel(/Type the number 1050/).fill("1050");
  await kill.click();
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  await dialog.getByRole("button", { name: "Stopping after this batch …" }).waitFor();
  release();
  await dialog.getByText(/^Killed [\d,]+ of 1,050.* · 50 left$/).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  const again = await changeAll();
  await again.getByText("50 invocations").waitFor();
  await again.getByRole("button", { name: "Kill 50" }).click();
  await again.getByText(/^Killed \d+ of 50/).waitFor();
});

test("older rows are loaded while the reader scrolls, and few of them are in the document", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?handler=nap");
  await row(page, "Greeter/nap").first().waitFor();
  await page.getByText("100 rows, and older ones.").waitFor();
  const end = page.getByText("1,050 rows, all that match.");
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs && (await end.count()) === 0;) {
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await sleep(200);
  }
  await end.waitFor();
  expect(await table(page).getByRole("row").count()).toBeLessThan(120);
});

test("older rows are dropped if they arrive only after the list was read anew", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?handler=nap");
  await page.getByText("100 rows, and older ones.").waitFor();
  let release = (): void => {};
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  const late = /\/invocations\?.*after=/;
  let asked = 0;
  await page.route(late, async (route) => {
    asked++;
    await isHeld;
    await route.continue().catch(() => undefined);
  });
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  while (asked === 0) await sleep(10);
  await page.evaluate("scrollTo(0, 0)");
  await page.keyboard.press("r");
  await sleep(500);
  release();
  await page.unroute(late);
  await page.getByText("100 rows, and older ones.").waitFor();
  expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
  expect(await table(page).getByRole("row").nth(1).getAttribute("aria-rowindex")).toBe("2");
});

test("a list that cannot be read anew keeps its rows, and does not look empty", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?service=Counter");
  await row(page, "Counter/").waitFor();
  await page.route(/\/invocations\?/, (route) => route.abort());
  await page.keyboard.press("r");
  await page.getByRole("alert").getByText("The facts below are those of an earlier answer.").waitFor();
  await row(page, "Counter/").waitFor();
  expect(await page.getByRole("heading", { name: "No invocation matches" }).count()).toBe(0);
});

test("the row that the keys chose stays the same invocation when a row above it leaves the list", async () => {
  const keep = await stage.send("/Counter/keep/hold/send", null, "suspended");
  const leave = await stage.send("/Counter/leave/hold/send", null, "suspended");
  const { page, goTo } = await stage.openTab();
  await goTo("invocations?service=Counter&status=suspended");
  await row(page, "Counter/leave").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.locator(".invocation-row.current").filter({ hasText: "Counter/keep" }).waitFor();
  await stage.ask("PATCH", `/invocations/${leave}/kill`);
  await row(page, "Counter/leave").waitFor({ state: "detached" });
  await page.keyboard.press("x");
  expect(await row(page, "Counter/keep").getByRole("checkbox").isChecked()).toBe(true);
  await page.keyboard.press("Enter");
  await untilAt(page, `#/invocations/${keep}`);
});
