/** Tests the page of statements: completion, rows, exact numbers, CSV, the address, errors with their place, and the stop. */
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
let id = "";

beforeAll(async () => {
  await stage.register();
  id = await stage.send("/Greeter/greet/send", "Ann", "completed");
});

const address = (statement: string): string => `sql?statement=${encodeURIComponent(statement)}&run=1`;

async function type(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Statement" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

test("the editor completes tables, columns and keywords, Ctrl+Enter runs a statement, and Escape leaves the editor", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("sql");
  await page.locator(".cm-content").waitFor();
  await type(page, "select count(*) as n from sys_inv");
  await page.getByRole("option", { name: "sys_invocation_status" }).waitFor();
  await page.keyboard.type("ocation ");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("cell", { name: "1", exact: true }).waitFor();
  expect(page.url()).toContain("statement=");
  await type(page, "select i. from sys_inbox i");
  for (let left = " from sys_inbox i".length; left > 0; left--) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("seq");
  await page.getByRole("option", { name: "sequence_number" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.locator('a[aria-current="page"]').filter({ hasText: "Services" }).waitFor();
});

test("a word that is typed before the tables are known is completed once they are", async () => {
  const { page, goTo } = await stage.openTab();
  let load = (): void => {};
  const mayLoad = new Promise<void>((resolve) => (load = resolve));
  await page.route(/\/query$/, async (route) => {
    await mayLoad;
    await route.continue();
  });
  await goTo("sql");
  await page.locator(".cm-content").waitFor();
  await type(page, "select count(*) as n from sys_inv");
  load();
  await page.getByRole("option", { name: "sys_invocation_status" }).waitFor();
});

test("an address runs its statement, a number beyond 2^53 keeps its digits, and an id leads to its page", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo(address("select id, partition_key from sys_invocation_status"));
  await page.getByText("1 row in").waitFor();
  const answer = await stage.ask("POST", "/query", {
    query: "select cast(partition_key as varchar) as exact from sys_invocation_status",
  });
  await page.getByRole("cell", { name: answer.rows[0].exact }).waitFor();
  expect(await page.getByRole("link", { name: id }).getAttribute("href")).toBe(`#/invocations/${id}`);
  await page.getByRole("button", { name: "Show row 1" }).click();
  await page.getByRole("region", { name: "Row 1" }).waitFor();
  expect(await axe()).toEqual([]);
});

test("rows are downloaded as CSV in which no cell is a formula", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo(address("select '=1+1' as a, -5 as b, null as c"));
  await page.getByText("1 row in").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toBe(`a,b,c\r\n"'=1+1",-5,\r\n`);
});

test("the error of a wrong statement names line and column, and an answer without rows is no error", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo(address("select id\nfrom sys_invocation\nwhre foo = 1"));
  await page.getByRole("alert").getByText("Status 400").waitFor();
  await page.getByText("Line 3, column 6").waitFor();
  await page.locator(".cm-wrong").waitFor();
  await goTo(address("select id from sys_invocation where id = 'inv_none'"));
  await page.getByText("No rows.").waitFor();
});

test("a running statement can be stopped", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/query$/, () => {});
  await goTo(address("select 1"));
  await page.getByText("runs for").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("status").getByText("stopped").waitFor();
});

test("a question in the list of ready-made statements runs its statement, and the history lists the statement", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("sql");
  await page.getByLabel("Ready-made statements").selectOption({ label: "Which columns are there?" });
  await page.getByText(/rows in/).waitFor();
  await page.getByLabel("Statements of this tab").selectOption({
    label: "select table_name, column_name, data_type from information_schema.columns",
  });
  await page.getByText(/rows in/).waitFor();
});

/** Runs in the page. */
const NOTE_LONG_TASKS = `globalThis.longTasksMs = [];
  new PerformanceObserver((list) => globalThis.longTasksMs.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });`;

test("of 100,000 rows only those in sight are in the document", async () => {
  const { page, goTo } = await stage.openTab();
  const rows = Array.from({ length: 100_000 }, (_, at) => ({ n: at, text: `row ${at}` }));
  const body = JSON.stringify({ columns: ["n", "text"], rows });
  await page.route(/\/query$/, (route) => route.fulfill({ status: 200, contentType: "application/json", body }));
  await goTo("sql");
  await page.locator(".cm-content").waitFor();
  await page.evaluate(NOTE_LONG_TASKS);
  await goTo(address("select many"));
  await page.getByText("100,000 rows in").waitFor();
  expect(await page.getByRole("row").count()).toBeLessThan(200);
  await page.evaluate("document.querySelector('.sql-result').scrollTop = 99999999");
  await page.getByRole("cell", { name: "row 99999", exact: true }).waitFor();
  const longestMs = await page.evaluate<number>("Math.max(0, ...globalThis.longTasksMs)");
  console.log(`The longest task of a page with 100,000 rows took ${Math.round(longestMs)} ms.`);
});
