/** A real browser without a window, and a tab that reads what a page shows once the page is at rest. */
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM_FLAGS } from "../harness/browser/chromium.mjs";
import { SEEN_WITHIN_MS } from "../patience.ts";

const REST_FOR_MS = 600;
/** Some pages animate without an end and are never idle. */
const IDLE_WITHIN_MS = 500;
const LOOK_EVERY_MS = 200;
const IS_LOADING = /Loading|Hang tight/;

export async function openBrowser(executablePath) {
  // The package of this folder is installed on demand, so the import has to come after the setup of the suite.
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
  return {
    openTab: (origin) => openTab(browser, origin),
    close: () => browser.close(),
  };
}

async function openTab(browser, origin) {
  const context = await browser.newContext({
    serviceWorkers: "block",
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-US",
    viewport: { width: 1800, height: 1400 },
    // The layout is that of a large window, but the browser paints few pixels: without a graphics card, painting would take
    // most of the run time.
    deviceScaleFactor: 0.1,
  });
  // The pages also link to sites of their makers. A test that reached them would depend on the network.
  await context.route(
    (url) => url.origin !== origin.url,
    (route) => route.abort(),
  );
  await context.addInitScript(paintLess);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  // One tab goes from page to page as a click on a link does, so that the scripts are loaded once.
  let shownBefore;
  const shown = (text) => {
    shownBefore = text;
    return { text, complaints: [...complaints], requests: origin.requests() };
  };
  return {
    async show(path, plain, steps) {
      complaints.length = 0;
      origin.forget();
      const isFirst = shownBefore === undefined;
      if (isFirst) await page.goto(`${origin.url}/ui/${path}`, { waitUntil: "commit" });
      else await page.evaluate(goTo, `/ui/${path}`);
      let text = await textAtRest(page, origin, plain, shownBefore);
      for (const step of steps) {
        await step(page);
        text = await textAtRest(page, origin, plain, text);
      }
      return shown(text);
    },
    look: async (plain) => shown(await textAtRest(page, origin, plain)),
  };
}

/**
 * Runs in the page and turns off effects that show no text: without a graphics card, these effects would take more than half of
 * the run time.
 */
function paintLess() {
  const sheet = new CSSStyleSheet();
  const none = ["animation", "transition", "backdrop-filter", "filter"].map((name) => `${name}: none !important;`);
  sheet.replaceSync(`*, *::before, *::after { ${none.join(" ")} }`);
  document.adoptedStyleSheets = [sheet];
}

/** Runs in the page: the router of the UI goes to the address as it does when the user goes back and forth. */
function goTo(path) {
  history.pushState({ idx: (history.state?.idx ?? 0) + 1, key: path, usr: null }, "", path);
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}

/** Runs in the page: a busy page is read only after the work that it has begun. */
async function textWhenIdle(timeout) {
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout }));
  return document.body?.innerText ?? "";
}

/**
 * @param before what the tab showed before it went to the page; no two pages in a row look the same
 * @returns the plain text after no request was open, nothing was loading and the text stayed the same for a while
 */
async function textAtRest(page, origin, plain, before) {
  const deadlineMs = Date.now() + SEEN_WITHIN_MS;
  let last = "";
  let sameSinceMs = Date.now();
  while (Date.now() < deadlineMs) {
    const shown = await page.evaluate(textWhenIdle, IDLE_WITHIN_MS).catch(() => "");
    const text = plain(shown);
    const isBusy = text === "" || text === before || IS_LOADING.test(text) || origin.openRequests() > 0;
    if (text !== last || isBusy) {
      last = text;
      sameSinceMs = Date.now();
    }
    if (Date.now() - sameSinceMs >= REST_FOR_MS) return text;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`${page.url()} is not at rest; it shows:\n${last}`);
}
