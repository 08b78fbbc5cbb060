/** The way back to a long list in a browser. */
import { expect, test } from "vitest";
import { openStage } from "./stage.ts";

const stage = await openStage();

test("back from an invocation brings the loaded rows and the place in the list back", async () => {
  const { page, goTo } = await stage.openTab();
  const rowsOf = (from: number) => Array.from({ length: 500 }, (_, at) => summaryAt(from + at));
  const asked: string[] = [];
  await page.route(/\/invocations\?/, async (route) => {
    const after = new URL(route.request().url()).searchParams.get("after");
    asked.push(after ?? "first");
    const from = Number(after ?? "0");
    const body = JSON.stringify({ invocations: rowsOf(from), ...(from < 4_500 && { next: String(from + 500) }) });
    await route.fulfill({ status: 200, contentType: "application/json", body });
  });
  await goTo("invocations");
  for (const count of ["500", "1,000", "1,500", "2,000", "2,500", "3,000"]) {
    await page.getByText(`${count} rows, and older ones`).waitFor({ state: "attached" });
    if (count !== "3,000") await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  }
  await page.evaluate("scrollTo(0, 60_000)");
  const target = page.getByRole("row").filter({ hasText: "Greeter/nap" }).nth(14).getByRole("link").first();
  // The rows of the place before are in the page until it has drawn those of this place.
  const height = await page.evaluate<number>("innerHeight");
  const top = async (): Promise<number> => (await target.boundingBox())?.y ?? -1;
  await expect.poll(async () => ((at) => at > 0 && at < height)(await top())).toBe(true);
  const name = await target.getAttribute("href");
  await target.click();
  await page.getByRole("heading", { name: "No such invocation" }).waitFor();
  expect(await page.evaluate<number>("scrollY")).toBe(0);
  const before = asked.length;
  await page.goBack();
  await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(58_000);
  await page.locator(`a[href="${name}"]`).first().waitFor();
  expect(asked.slice(before).filter((after) => after !== "first")).toEqual([]);
});

function summaryAt(at: number): Record<string, string> {
  return {
    id: `inv_1${String(at).padStart(30, "0")}`,
    target: "Greeter/nap",
    target_service_name: "Greeter",
    target_handler_name: "nap",
    status: "suspended",
    created_at: new Date(Date.UTC(2026, 0, 1) - at * 1_000).toISOString(),
  };
}
