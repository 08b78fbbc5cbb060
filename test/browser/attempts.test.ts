/** Tests the attempts on the page of an invocation in a browser: the strip, and the list with their moments. */
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { steps } from "./invocation-services.ts";
import { openStage } from "./stage.ts";

const stage = await openStage([steps]);
beforeAll(() => stage.register());

test("each attempt has its moments and its failure, and what is not stored is unknown", async () => {
  const id = await stage.send("/Steps/stumble/send", null, "backing-off");
  const { attempts: before } = await stage.ask("GET", `/invocations/${id}`);
  for (let attempts = before + 1; attempts <= before + 2; attempts++) {
    await stage.ask("PATCH", `/invocations/${id}/resume`);
    await expect
      .poll(async () => (await stage.ask("GET", `/invocations/${id}`)).attempts, { timeout: SEEN_WITHIN_MS })
      .toBe(attempts);
    await stage.untilStatus(id, "backing-off");
  }
  const { page, goTo, axe } = await stage.openTab();
  await goTo(`invocations/${id}`);
  const last = before + 2;
  await page.getByText(`${last} attempts, with what is stored of each`).click();
  const list = page.getByRole("group", { name: "Attempts" });
  const rows = (await list.getByRole("row").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim());
  const moment = String.raw`\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC`;
  const failed = (attempt: number) =>
    expect.stringMatching(new RegExp(`^${attempt} ${moment} ${moment} [\\d.]+ m?s failed: RT0007 .*ECONNREFUSED`));
  expect(rows.slice(-3)).toEqual([
    failed(before),
    `${before + 1} unknown unknown failed in the same way; the times are not stored`,
    failed(last),
  ]);
  expect(await page.locator(".attempt-bar.failed").count()).toBe(2);
  expect(await axe()).toEqual([]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const path = join(inject("screensFolder"), `invocation-attempts-${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
  }
});
