/** Compares what the unmodified web UI of the reference shows over Stepwell with what it shows over the reference itself. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import type { Shown } from "./browser.mjs";
import { differencesOn, withoutDifferences, type Difference } from "./differences.ts";
import { PAGES, PARTS, type UiPage } from "./pages.ts";
import { plainText } from "./plain-text.ts";
import { openStage, type Side, type Stage } from "./stage.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly chromiumPath: string;
  }
}

const FAILURE = /Couldn.t load/;
/** On a busy machine, a page may stop changing for a while before it shows all rows, so the test looks at it again. */
const LOOKS_MAX = 30;

let stage: Stage;
const seenDifferences = new Set<Difference>();

beforeAll(async () => {
  stage = await openStage(inject("chromiumPath"));
});
afterAll(() => stage?.stop());

const show = ({ tab, ids }: Side, page: UiPage) => tab.show(page.path(ids), plainText, page.steps ?? []);

/** @returns the lines to compare; they are sorted if the reference shows the page's rows in an order that changes between runs */
function linesOf(on: Difference["on"], page: UiPage, shown: Shown): string {
  const { text, seen } = withoutDifferences(on, page.title, shown.text);
  for (const one of seen) seenDifferences.add(one);
  return page.isUnordered === true ? text.split("\n").toSorted().join("\n") : text;
}

function failedRequests({ requests }: Shown): string[] {
  return requests
    .filter((one) => one.status >= 400)
    .map((one) => `${one.method} ${one.path}: ${one.status} ${one.answer}`);
}

const pages = itemsOfTurn(PAGES, PARTS);
tellRotation("reference-ui", "pages", pages.length, PAGES.length);

test.each(pages)("$title", async (page) => {
  let [theirs, ours] = await Promise.all([show(stage.theirs, page), show(stage.ours, page)]);
  for (let left = LOOKS_MAX; left > 0 && linesOf("ours", page, ours) !== linesOf("theirs", page, theirs); left--) {
    [theirs, ours] = await Promise.all([stage.theirs.tab.look(plainText), stage.ours.tab.look(plainText)]);
  }
  expect(theirs.text).not.toMatch(FAILURE);
  expect(linesOf("ours", page, ours)).toBe(linesOf("theirs", page, theirs));
  expect(failedRequests(ours)).toEqual(failedRequests(theirs));
  // The editor of the page complains of a load that it cancels, if a page is left before the load has ended.
  const lasting = (complaints: readonly string[]) => complaints.filter((one) => one !== "exception: Canceled");
  expect(lasting(ours.complaints)).toEqual(lasting(theirs.complaints));
});

test("each listed difference is still seen on these pages", () => {
  const titles = new Set(pages.map(({ title }) => title));
  // A difference may show on one of its pages alone, so a part of the pages judges those of which it has all.
  const whole = differencesOn([...titles]).filter((one) => one.pages?.every((title) => titles.has(title)) !== false);
  expect(whole.filter((one) => !seenDifferences.has(one))).toEqual([]);
});
