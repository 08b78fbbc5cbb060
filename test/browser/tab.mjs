/** A tab of a real browser without a window, which notes each error of the page and each violation of the page's policy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM_FLAGS } from "../harness/browser/chromium.mjs";
import { SEEN_WITHIN_MS } from "../patience.ts";

/** Pages of one site share a process. */
const ONE_PROCESS = "--process-per-site";
const AXE = join(import.meta.dirname, "node_modules/axe-core/axe.min.js");
const LOOK_EVERY_MS = 50;
const VIEWPORT = { width: 1280, height: 900 };
/** Tests provoke refusals, and the browser writes a line about each. */
const REFUSED = /^Failed to load resource: /;

/** @param signInUrl returns the address that signs a browser in at the server with the given address */
export async function openBrowser(executablePath, signInUrl) {
  // The package of this folder is installed on demand, so the import has to come after the setup of the suite.
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS, ONE_PROCESS] });
  const profiles = new Map();
  return {
    async openTab(url, options = {}) {
      const key = JSON.stringify([url, options]);
      const profile = profiles.get(key) ?? (await openProfile(browser, url, await signInUrl(url), options));
      profiles.set(key, profile);
      return await openTab(profile, url);
    },
    close: () => browser.close(),
  };
}

/**
 * The tabs with the same options have one profile. Its first page stays open, so that the process that shows it also shows all
 * later tabs: a process for each tab would take a third of the run time.
 */
async function openProfile(browser, url, signIn, { width = VIEWPORT.width, colorScheme = "light", ...more }) {
  const context = await browser.newContext({
    viewport: { ...VIEWPORT, width },
    colorScheme,
    timezoneId: "UTC",
    locale: "en-US",
    reducedMotion: "reduce",
    hasTouch: width < 640,
    permissions: ["clipboard-read", "clipboard-write"],
    ...more,
  });
  await context.addInitScript(noteViolations);
  const first = await context.newPage();
  await first.goto(signIn);
  await first.waitForURL(`${url}ui/**`);
  await first.locator("nav").waitFor();
  await first.goto(`${url}health`);
  return { context, forget: () => first.evaluate(forgetPreferences) };
}

/** The session stays. */
function forgetPreferences() {
  const key = localStorage.getItem("stepwell.page-key");
  localStorage.clear();
  if (key !== null) localStorage.setItem("stepwell.page-key", key);
}

async function openTab({ context, forget }, url) {
  const page = await context.newPage();
  page.setDefaultTimeout(SEEN_WITHIN_MS);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const isRefusal = REFUSED.test(message.text());
    if (message.type() === "error" && !isRefusal) complaints.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const target = new URL(request.url());
    const isOwn = target.origin === new URL(url).origin || ["data:", "blob:"].includes(target.protocol);
    if (!isOwn) complaints.push(`request to another origin: ${request.url()}`);
  });
  return {
    page,
    complaints,
    goTo: async (route) => {
      await page.goto(`${url}ui/#/${route}`);
    },
    atRest: () => atRest(page),
    axe: () => seriousFaults(page),
    close: async () => {
      await page.close();
      await forget();
    },
  };
}

/**
 * Polls from this process. To poll inside the page, Playwright would evaluate a text as code there, and the content security
 * policy of the page forbids that.
 */
async function atRest(page) {
  const deadlineMs = Date.now() + SEEN_WITHIN_MS;
  while (!(await page.evaluate(showsSomething))) {
    if (Date.now() > deadlineMs) throw new Error(`${page.url()} is not at rest`);
    await sleep(LOOK_EVERY_MS);
  }
  await sleep(LOOK_EVERY_MS);
}

/** Runs in the page. */
function showsSomething() {
  const text = document.querySelector("#content")?.innerText.trim() ?? "";
  return text !== "" && document.querySelector(".skeleton, [aria-busy=true]") === null;
}

/** Runs in the page. */
function noteViolations() {
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    console.error(`policy violated: ${violatedDirective} ${blockedURI} ${sample}`);
  });
}

/**
 * The content security policy forbids a script element that contains the checker, but it does not block code that
 * `page.evaluate` runs in the page. The routes of the web UI share one document, which gets the checker once.
 */
async function seriousFaults(page) {
  const isMissing = await page.evaluate(() => globalThis.axe === undefined);
  if (isMissing) await page.evaluate(`${readFileSync(AXE, "utf8")}; undefined`);
  return await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ["violations"],
      // Whoever speaks to the browser says what he sees, so the name of a control has its visible words.
      rules: { "label-content-name-mismatch": { enabled: true } },
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      );
  });
}
