/**
 * Each page in each of its states, sizes and themes: a screenshot is kept, nothing is wider than the window, and the checker
 * of accessibility finds no serious fault.
 */
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { makeHistory } from "./history.ts";
import { openStage } from "./stage.ts";
import type { Tab } from "./tab.mjs";

const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"] as const;
const TABS = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));

const emptyStage = await openStage();
const fullStage = await openStage();
const { deployment, ids, subscription } = await makeHistory(fullStage);

const SHARED_PAGES = {
  overview: "overview",
  invocations: "invocations",
  deployments: "deployments",
  services: "services",
  objects: "objects",
  topics: "topics",
  limits: "limits",
  schedules: "schedules",
  call: "call",
  sql: "sql",
};
const FULL_PAGES: Readonly<Record<string, string>> = {
  ...SHARED_PAGES,
  ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [`invocation-${name}`, `invocations/${id}`])),
  deployment: `deployments/${deployment}`,
  service: "services/Counter",
  "objects-of-service": "objects/Counter",
  "topics-opened": `topics?open=${subscription}`,
  object: "objects/Counter/a",
  "object-held": "objects/Counter/b",
  workflow: "objects/Signup/bob",
  "call-handler": "call/Counter/add",
  "sql-rows": `sql?statement=${encodeURIComponent("select id, target, status from sys_invocation")}&run=1`,
};
const EMPTY_PAGES: Readonly<Record<string, string>> = {
  ...SHARED_PAGES,
  "invocations-filtered": "invocations?service=Nobody",
  "invocation-unknown": `invocations/${ids["nap"]}`,
  "deployment-unknown": "deployments/dp_1unknown",
  "service-unknown": "services/Nobody",
};

/** Runs in the page: places where a sentence begins without a space after the sentence before it. */
const JOINED_SENTENCES = `[...document.querySelectorAll("#content :is(p, li, dd, td)")]
  .flatMap(({ innerText }) => innerText.match(/\\S*[a-z]{2}[.;,!?][A-Z][a-z]\\S*/g) ?? [])`;

async function look(tab: Tab, state: string, pages: Readonly<Record<string, string>>, size: string): Promise<void> {
  for (const [name, route] of Object.entries(pages)) {
    await tab.goTo(route);
    await tab.atRest();
    await tab.page.screenshot({ path: join(inject("screensFolder"), `${name}-${state}-${size}.png`) });
    const tooWidePx = await tab.page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect.soft({ name, state, size, tooWidePx }).toEqual({ name, state, size, tooWidePx: 0 });
    expect.soft([name, state, size, await tab.axe()]).toEqual([name, state, size, []]);
    expect.soft([name, state, size, await tab.page.evaluate(JOINED_SENTENCES)]).toEqual([name, state, size, []]);
  }
}

describe.each(TABS)("at $width px, $colorScheme", ({ width, colorScheme }) => {
  const size = `${width}-${colorScheme}`;

  test("full pages", async () => {
    await look(await fullStage.openTab({ width, colorScheme }), "full", FULL_PAGES, size);
  });

  test("empty pages", async () => {
    await look(await emptyStage.openTab({ width, colorScheme }), "empty", EMPTY_PAGES, size);
  });

  test("pages whose requests fail", async () => {
    const tab = await fullStage.openTab({ width, colorScheme });
    const failing = {
      status: 500,
      contentType: "application/json",
      body: '{"message":"The store is read-only (E42)"}',
    };
    await tab.page.route(/^[^#]*:\d+\/(?!ui\/|version$)/, (route) => route.fulfill(failing));
    const { call: _, sql: __, ...pages } = SHARED_PAGES;
    await look(tab, "error", { ...pages, invocation: `invocations/${ids["nap"]}` }, size);
    for (const route of Object.values(pages)) {
      await tab.goTo(route);
      await tab.page.getByText("The store is read-only (E42)").first().waitFor();
    }
  });
});
