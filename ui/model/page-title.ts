/** The title of the browser's tab: what the page shows and its state, before the name of the product. */
import type { Route } from "./route.ts";
import { lookOf } from "./status-look.ts";
import { shortened, visibleLine } from "./visible-text.ts";

/** A tab shows some twenty characters, and its tooltip some more. */
const SUBJECT_CHARS = 60;

/** @param subject what the page itself says about its subject; else the title names the segments of the address */
export function pageTitle(route: Route | undefined, subject: string | undefined): string {
  if (route === undefined) return "Stepwell";
  const { page, rest } = route;
  const named = subject ?? rest.slice(0, 1).map((part) => shortened(visibleLine(part), SUBJECT_CHARS))[0];
  return [named, page, "Stepwell"].filter((part) => part !== undefined && part !== "").join(" · ");
}

/** `✕ Billing/charge failed`: the glyph first, because tabs are narrow. */
export function invocationSubject({
  target,
  status,
  outcome,
}: {
  readonly target: string;
  readonly status: string;
  readonly outcome?: string;
}): string {
  const { glyph, word } = lookOf(status, outcome);
  return `${glyph} ${shortened(visibleLine(target), SUBJECT_CHARS)} ${word}`;
}

/** `3 need you`, or nothing. */
export function needsSubject(count: number): string | undefined {
  return count === 0 ? undefined : count === 1 ? "! 1 needs you" : `! ${count} need you`;
}
