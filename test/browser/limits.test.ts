/** Tests the page of limits: how a rule is made, tried, changed, disabled and deleted, and how a refusal is shown. */
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
const PATTERN = "acme/*";

const rules = async () => (await stage.ask("GET", "/limits/rules")).rules;

async function change(page: Page, verb: string, result: RegExp): Promise<void> {
  await page.getByRole("button", { name: `${verb} … ${PATTERN}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${PATTERN}: 7 at a time`).waitFor();
  await dialog.getByRole("button", { name: verb, exact: true }).click();
  await dialog.getByRole("status").getByText(result).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
}

test("without a rule the page says how to make one, and the keys g and l lead to it", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("overview");
  await page.getByRole("link", { name: "Limits" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.getByRole("heading", { name: "There is no rule" }).waitFor();
  await page.getByText("stepwell rules set").waitFor();
  expect(await axe()).toEqual([]);
});

test("a refused rule shows the reason in place, a trial says what the rule would do, and a saved rule has a row", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("limits");
  await page.getByRole("button", { name: "Make a rule" }).click();
  const save = page.getByRole("button", { name: "Save", exact: true });
  const attempt = page.getByRole("button", { name: "Try", exact: true });
  expect([await save.isDisabled(), await attempt.isDisabled()]).toEqual([true, true]);
  await page.getByRole("textbox", { name: "Pattern" }).fill("acme//x");
  expect([await save.isDisabled(), await attempt.isDisabled()]).toEqual([false, true]);
  await page.getByRole("textbox", { name: "Rate of starts" }).fill("100");
  await save.click();
  await page
    .getByRole("alert")
    .getByText(/'acme\/\/x' has an empty level.*as in 'acme\/\*'/)
    .waitFor();
  await page.getByRole("textbox", { name: "Pattern" }).fill(PATTERN);
  await save.click();
  await page
    .getByRole("alert")
    .getByText(/The rate '100' is not.*for example '100\/1m'/)
    .waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole("textbox", { name: "Rate of starts" }).fill("100/1m");
  await page.getByRole("textbox", { name: "Running at a time" }).fill("5");
  await page.getByRole("textbox", { name: "Description" }).fill("tenants");
  await attempt.click();
  await page
    .getByRole("status")
    .getByText(/would have held back 0 of the 0 that it counts/)
    .waitFor();
  expect(await rules()).toEqual([]);
  expect(await axe()).toEqual([]);
  await save.click();
  await page.getByRole("status").getByText("Saved").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("row").filter({ hasText: PATTERN });
  for (const cell of ["enabled", "5", "100/1m"]) await row.getByRole("cell", { name: cell, exact: true }).waitFor();
  await row.getByText("tenants").waitFor();
  await page.getByRole("button", { name: "Count the last hour" }).click();
  await row.getByRole("cell", { name: "0", exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await rules()).toMatchObject([
    { pattern: PATTERN, limits: { concurrency: 5, rate: "100/1m", burst: 2 }, description: "tenants" },
  ]);
});

test("a rule is changed, disabled, enabled and deleted", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("limits");
  await page.getByRole("button", { name: `Change … ${PATTERN}` }).click();
  expect(await page.getByRole("textbox", { name: "Pattern" }).isDisabled()).toBe(true);
  await page.getByRole("textbox", { name: "Running at a time" }).fill("7");
  await page.getByRole("textbox", { name: "Rate of starts" }).fill("");
  await page.getByRole("textbox", { name: "Starts at once" }).fill("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("status").getByText(`${PATTERN}: 7 at a time`).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("row").filter({ hasText: PATTERN });
  await change(page, "Disable", /^✓ Disabled/);
  await row.getByRole("cell", { name: "disabled", exact: true }).waitFor();
  await change(page, "Enable", /^✓ Enabled/);
  await row.getByRole("cell", { name: "enabled", exact: true }).waitFor();
  expect(await rules()).toMatchObject([{ limits: { concurrency: 7 }, description: "tenants", disabled: false }]);
  await change(page, "Delete", /^✓ Deleted/);
  await page.getByRole("heading", { name: "There is no rule" }).waitFor();
  expect(await rules()).toEqual([]);
});

test("a rule that changed meanwhile is not overwritten, and the dialog says so", async () => {
  await stage.ask("PUT", "/limits/rules", [{ pattern: PATTERN, limits: { concurrency: 1 } }]);
  const { page, goTo } = await stage.openTab();
  await goTo("limits");
  await page.getByRole("button", { name: `Change … ${PATTERN}` }).click();
  await page.getByRole("textbox", { name: "Running at a time" }).fill("9");
  await stage.ask("PUT", "/limits/rules", [{ pattern: PATTERN, limits: { concurrency: 2 } }]);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByRole("alert")
    .getByText(/has the version \d+, and should have the version \d+/)
    .waitFor();
  expect(await rules()).toMatchObject([{ limits: { concurrency: 2 } }]);
});

test("an error of the list is shown, and the list can be loaded again", async () => {
  const { page, goTo } = await stage.openTab();
  const answers = { status: 500, contentType: "application/json", body: '{"message":"The store is away (E42)"}' };
  await page.route(/\/limits\/rules\?/, (route) => route.fulfill(answers));
  await goTo("limits");
  await page.getByRole("alert").getByText("The store is away (E42)").waitFor();
  await page.unroute(/\/limits\/rules\?/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("cell", { name: PATTERN, exact: true }).waitFor();
});

test.each([1280, 390])("at %i px use, waiting and a hostile description fit", async (width) => {
  const { page, goTo, axe } = await stage.openTab({ width });
  await page.route(/\/limits\/rules\?/, async (route) => {
    const use = { pools: 40, taken: 123, waiting: 4_567, oldest_waiting_since_millis_since_epoch: Date.now() - 9_000 };
    const [rule] = await rules();
    const long = { ...rule, pattern: `handler:${"Service".repeat(30)}/${"handler".repeat(30)}`, disabled: true };
    const body = JSON.stringify({ rules: [{ ...rule, description: HOSTILE_TEXTS[0], use }, long] });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  await goTo("limits");
  await page.getByText("123 in 40 pools").waitFor();
  await page.getByText("4,567").waitFor();
  await page.screenshot({ path: join(inject("screensFolder"), `limits-${width}.png`) });
  expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
  expect(await axe()).toEqual([]);
});
