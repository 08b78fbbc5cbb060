/** The route that the address names, and changes of it. */
import { computed, signal } from "@preact/signals";
import { hrefTo, parseRoute, type PageName, type Route } from "../model/route.ts";
import { arrive } from "./places.ts";
import { takeKeyFromAddress } from "./session.ts";

takeKeyFromAddress();
const hash = signal(location.hash);

/** Undefined for an address that names no page. */
export const route = computed(() => parseRoute(hash.value));

addEventListener("hashchange", () => {
  const before = subjectOf(route.peek());
  const now = subjectOf(parseRoute(location.hash));
  arrive(before !== now);
  hash.value = location.hash;
});

function subjectOf(shown: Route | undefined): string {
  return shown === undefined ? "" : hrefTo(shown.page, shown.rest);
}

export function goTo(href: string): void {
  location.hash = href;
}

/**
 * Changes parameters of the route's query. The new address replaces the current entry of the history, so that the history gets no
 * new entry for each letter of a filter.
 */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const now = route.peek();
  if (now === undefined) return;
  const query = { ...Object.fromEntries(now.query), ...changes };
  replaceRoute(now.page, now.rest, query);
}

function replaceRoute(
  page: PageName,
  rest: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
): void {
  const href = hrefTo(page, rest, query);
  history.replaceState(history.state, "", href);
  hash.value = href;
}
