/** Tests the frame of the web UI in a browser: navigation, keys, preferences, and the words for a missing page or server. */
import { expect, test } from "vitest";
import { openStage } from "./stage.ts";

const stage = await openStage();
/** The part of a session that the page keeps. */
const KEY = 'localStorage.getItem("stepwell.page-key")';

test("each page of the navigation opens, and the address names it", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const names = await links.allInnerTexts();
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator('a[aria-current="page"]').filter({ hasText: name }).waitFor();
  }
  expect(page.url()).toMatch(/#\/sql$/);
});

test("two keys pressed in a row open a page, and another key lists the keys", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.getByRole("link", { name: "Services" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.locator('a[aria-current="page"]').filter({ hasText: "Services" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("Go to Invocations").waitFor();
});

test("keys can be turned off, and stay off after a reload", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.getByRole("button", { name: "Show the keys" }).click();
  await page.getByLabel("Keys do something").uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await page.reload();
  await page.getByRole("link", { name: "Services" }).waitFor();
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a reader signs out: the session ends at the server, also for another tab and a copy of its cookie and key", async () => {
  // A profile of its own, so that the tabs of the other tests stay signed in.
  const { page, goTo } = await stage.openTab({ width: 1281 });
  const other = await page.context().newPage();
  await goTo("");
  await other.goto(page.url());
  await other.getByRole("button", { name: "Sign out" }).waitFor();
  const key = await page.evaluate<string>(KEY);
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = { authorization: "", cookie, "x-stepwell-page-key": key };
  const copied = async () => (await globalThis.fetch(`${stage.adminUrl}/deployments`, { headers })).status;
  expect(await copied()).toBe(200);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await copied()).toBe(401);
  expect(await page.evaluate(KEY)).toBeNull();
  expect(await page.context().cookies()).toEqual([]);
  await other.reload();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await other.getByRole("button", { name: "Sign out" }).count()).toBe(0);
  await other.close();
});

test("if a sign-out does not reach the server, the page says so and the reader stays signed in", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/-\/session$/, (route) => route.abort());
  await goTo("");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("alert").getByText("you are still signed in").waitFor();
  expect(await page.evaluate(KEY)).toMatch(/^[\w-]{43}$/);
});

test("the theme and the zone are kept", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.getByLabel("Theme").selectOption("dark");
  await page.getByRole("button", { name: "UTC" }).click();
  await page.reload();
  expect(await page.getByLabel("Theme").inputValue()).toBe("dark");
  await page.getByRole("button", { name: "Times in UTC", exact: true }).waitFor();
});

const SURFACES = { light: "rgb(255, 255, 255)", dark: "rgb(15, 18, 22)" };

test.each([
  ["light", "system", "light"],
  ["dark", "system", "dark"],
  ["light", "dark", "dark"],
  ["dark", "light", "light"],
] as const)("on a %s system, the theme %s shows a %s page", async (colorScheme, theme, shown) => {
  const { page, goTo } = await stage.openTab({ colorScheme });
  await goTo("");
  await page.getByLabel("Theme").selectOption(theme);
  expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(SURFACES[shown]);
});

test("at an address without a page, the text says that there is none", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("nothing/here");
  await page.getByRole("heading", { name: "No such page" }).waitFor();
});

test("a server that does not answer is named as such, and a later try succeeds", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/version$/, (route) => route.abort());
  await goTo("");
  await page.getByRole("alert").getByText("No answer").waitFor();
  await page.unroute(/\/version$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "hidden" });
});

test("an answer without JSON has its own error, which differs from that of a missing answer", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/version$/, (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<html>" }));
  await goTo("");
  await page.getByRole("alert").getByText("Status 200").waitFor();
  await page.getByRole("alert").getByText("The answer is not JSON").waitFor();
});

test("a page of another origin reaches neither the admin API nor a handler through it", async () => {
  const { page, complaints } = await stage.openTab();
  await page.goto("about:blank");
  const reached = await page.evaluate(
    async ([admin, call]: readonly string[]) => {
      const tries = [
        fetch(`${admin}/deployments`),
        fetch(`${admin}/query`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
        fetch(call!, { method: "POST", headers: { "x-requested-with": "page" }, body: "1" }),
        fetch(`${admin}/deployments/x`, { method: "DELETE" }),
      ];
      return (await Promise.allSettled(tries)).map(({ status }) => status);
    },
    [stage.adminUrl, `${stage.adminUrl}/internal/services/Greeter/handlers/greet/call`],
  );
  expect(reached).toEqual(["rejected", "rejected", "rejected", "rejected"]);
  const refusals = complaints.splice(0).filter((line) => line.includes("blocked by CORS policy"));
  expect(refusals).toHaveLength(4);
});
