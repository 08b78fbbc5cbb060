/** Tests the page of services: handlers with their effective options, and the options that an operator edits. */
import { beforeAll, expect, test } from "vitest";
import { openStage } from "./stage.ts";

const stage = await openStage();
beforeAll(() => stage.register());

test("the list leads to a service, its handlers and their effective retry policy", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("services");
  await page.getByRole("link", { name: "Greeter", exact: true }).click();
  await page.getByRole("heading", { name: /^Greeter/ }).waitFor();
  await page.locator("summary").filter({ hasText: "stumble" }).click();
  await page.getByText("1h, × 2 up to 1h; 70 attempts, then paused").waitFor();
  expect(await axe()).toEqual([]);
  await goTo("services/Counter?handler=add");
  await page.getByText("one at a time for each key").first().waitFor();
});

test("the list counts what is open, fails, is paused and has failed of each service", async () => {
  await stage.send("/Greeter/nap/send", {}, "suspended");
  await stage.send("/Greeter/stumble/send", {}, "backing-off");
  const paused = await stage.send("/Greeter/nap/send", {}, "suspended");
  await stage.ask("PATCH", `/invocations/${paused}/pause`);
  await stage.untilStatus(paused, "paused");
  await stage.send("/Greeter/refuse/send", {}, "completed");
  const { page, goTo, axe } = await stage.openTab();
  await goTo("services");
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "Greeter", exact: true }) });
  await row.getByRole("link", { name: "3 open invocations of Greeter" }).waitFor();
  await row.getByRole("link", { name: "1 failing invocations of Greeter" }).waitFor();
  await row.getByRole("link", { name: "1 paused invocations of Greeter" }).waitFor();
  await row.getByRole("link", { name: "1 failed invocations of Greeter" }).waitFor();
  expect(await axe()).toEqual([]);
  await row.getByRole("link", { name: "3 open invocations of Greeter" }).click();
  await page.getByText("nap").first().waitFor();
});

test("options are checked before they are sent, and the change shows", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("services/Greeter");
  await page.getByRole("button", { name: "Edit options …" }).click();
  const save = page.getByRole("button", { name: "Save" });
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel("Journal retention").fill("soon");
  await page.getByText("a duration such as").waitFor();
  expect(await save.isDisabled()).toBe(true);
  expect(await axe()).toEqual([]);
  await page.getByLabel("Journal retention").fill("2h");
  await page.getByLabel("Public").uncheck();
  await save.click();
  await page.getByRole("status").getByText("Saved").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("services only: the ingress refuses calls").waitFor();
  expect(await stage.ask("GET", "/services/Greeter")).toMatchObject({ journal_retention: "2h", public: false });
});

test("the OpenAPI document is downloaded, and an unknown service is named as such", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("services/Counter");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "OpenAPI" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Counter-openapi.json");
  await goTo("services/Nobody");
  await page.getByRole("heading", { name: "No such service" }).waitFor();
});

test("if the server refuses the OpenAPI document, the page shows the reason", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/openapi$/, (route) => route.fulfill({ status: 500, body: '{"message":"the store is away"}' }));
  await goTo("services/Counter");
  await page.getByRole("button", { name: "OpenAPI" }).click();
  await page.getByRole("alert").getByText("the store is away").waitFor();
});

test("saving options keeps the options that another operator has changed meanwhile", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("services/Counter");
  await page.getByRole("button", { name: "Edit options …" }).click();
  await stage.ask("PATCH", "/services/Counter", { journal_retention: "3h" });
  await page.locator("dd").filter({ hasText: /^3h/ }).first().waitFor();
  await page.getByLabel("Abort timeout").fill("7m");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Saved").waitFor();
  expect(await stage.ask("GET", "/services/Counter")).toMatchObject({ journal_retention: "3h", abort_timeout: "7m" });
});
