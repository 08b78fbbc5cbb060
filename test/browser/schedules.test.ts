/** Tests the page of schedules: how one is made, refused, triggered, filled back and deleted. */
import { expect, test } from "vitest";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();

const schedules = async () => (await stage.ask("GET", "/schedules")).schedules;
const make = (page: Page) => page.getByRole("button", { name: "Make", exact: true });
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

test("without a schedule the page says how to make one, and without a handler the dialog leads to the deployments", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("schedules");
  await page.getByRole("heading", { name: "There is no schedule" }).waitFor();
  await page.keyboard.press("n");
  await page.getByRole("dialog").getByRole("link", { name: "Register a deployment" }).waitFor();
  expect(await make(page).isDisabled()).toBe(true);
  expect(await axe()).toEqual([]);
});

test("a refused schedule shows the reason in place, and a made one has a row and its input to the last digit", async () => {
  await stage.register();
  const { page, goTo, axe } = await stage.openTab();
  await goTo("schedules");
  await page.getByRole("button", { name: "Make a schedule" }).click();
  await field(page, "Name").fill("nightly");
  await page.getByRole("combobox", { name: "Handler" }).selectOption({ label: "Counter/add" });
  await field(page, "Cron line").fill("0 25 * * *");
  await page.getByText("Name the key.").waitFor();
  await field(page, "Key").fill("all");
  await field(page, "Input, as JSON").fill("{");
  await page.getByText("The input is no JSON.").waitFor();
  expect(await make(page).isDisabled()).toBe(true);
  await field(page, "Input, as JSON").fill("12345678901234567890");
  await make(page).click();
  await page
    .getByRole("alert")
    .getByText(/'0 25 \* \* \*' of 'nightly' cannot be read.*such as '0 2 \* \* \*'/)
    .waitFor();
  expect(await axe()).toEqual([]);
  expect(await schedules()).toEqual([]);
  await field(page, "Cron line").fill("0 2 * * *");
  await field(page, "Time zone").fill("Europe/Berlin");
  await page.getByRole("combobox", { name: "A tick while an earlier run is open" }).selectOption("buffer-one");
  await make(page).click();
  await page.getByRole("status").getByText("Its first moment is").waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("row").filter({ hasText: "nightly" });
  for (const words of ["Counter/all/add", "0 2 * * * (Europe/Berlin)", "active"]) await row.getByText(words).waitFor();
  const [made] = await schedules();
  expect(made).toMatchObject({ name: "nightly", key: "all", time_zone: "Europe/Berlin", overlap: "buffer-one" });
  const { invocation_id: id } = await stage.ask("POST", "/schedules/nightly/trigger", {});
  await stage.untilStatus(id, "completed");
  await goTo(`invocations/${id}`);
  await page.getByText("12345678901234567890").first().waitFor();
});

test("a name that exists is refused, and the stored schedule stays", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("schedules");
  await page.getByRole("button", { name: "Make a schedule" }).click();
  await field(page, "Name").fill("nightly");
  await page.getByRole("combobox", { name: "Handler" }).selectOption({ label: "Greeter/greet" });
  await page.getByRole("radio", { name: "By elapsed time" }).check();
  await field(page, "Interval").fill("1h");
  await make(page).click();
  await page
    .getByRole("alert")
    .getByText(/nightly/)
    .waitFor();
  expect(await schedules()).toMatchObject([{ name: "nightly", service: "Counter" }]);
});

test("the moments of a range run once each, and a range without one shows the refusal", async () => {
  await stage.ask("POST", "/schedules", {
    name: "hourly",
    service: "Greeter",
    handler: "greet",
    input: "Ann",
    interval: "1h",
  });
  const { page, goTo, axe } = await stage.openTab();
  await goTo("schedules");
  await page.getByRole("button", { name: "Backfill … hourly" }).click();
  const dialog = page.getByRole("dialog");
  const order = dialog.getByRole("button", { name: "Backfill" });
  await dialog.getByLabel(/^From/).fill("2026-01-01T00:10:00");
  expect(await order.isDisabled()).toBe(true);
  await dialog.getByLabel(/^Until before/).fill("2026-01-01T00:20:00");
  await order.click();
  await dialog
    .getByRole("alert")
    .getByText(/no moment of 'hourly'/)
    .waitFor();
  expect(await axe()).toEqual([]);
  await dialog.getByLabel(/^Until before/).fill("2026-01-01T03:10:00");
  await dialog.getByRole("combobox", { name: "Runs at the same time" }).selectOption("3");
  await order.click();
  await dialog.getByRole("status").getByText("Ordered: 3 runs.").waitFor();
  await expect
    .poll(async () => {
      const { runs } = await stage.ask("GET", "/schedules/hourly");
      return runs.filter(({ kind, outcome }: Record<string, string>) => kind === "backfill" && outcome === "succeeded");
    })
    .toHaveLength(3);
});

test("a schedule is paused with a note, resumed and deleted", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("schedules");
  const act = async (verb: string, result: string, note?: string): Promise<void> => {
    await page.getByRole("button", { name: `${verb} … hourly` }).click();
    const dialog = page.getByRole("dialog");
    if (note !== undefined) await dialog.getByRole("textbox").fill(note);
    await dialog.getByRole("button", { name: verb, exact: true }).click();
    await dialog.getByRole("status").getByText(result).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
  };
  await act("Pause", "Paused.", "the source moves");
  await page.getByText("the source moves").waitFor();
  await act("Resume", "Resumed.");
  await act("Delete", "Deleted.");
  await page.getByRole("row").filter({ hasText: "hourly" }).waitFor({ state: "detached" });
  expect(await schedules()).toMatchObject([{ name: "nightly" }]);
});

test("at 390 px the dialogs fit", async () => {
  const { page, goTo, axe } = await stage.openTab({ width: 390 });
  await goTo("schedules");
  for (const button of ["Make a schedule", "Backfill … nightly"]) {
    await page.getByRole("button", { name: button }).click();
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    expect(await axe()).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
  }
});
