/** Collects the invocations that match the filters of a change, page by page. */
import type { IncomingHttpHeaders } from "node:http";
import type { InvocationListBody, InvocationSummaryBody } from "../../../shared/api/wire/invocation.ts";
import type { Session } from "../http/session.ts";

const PAGE_SIZE = 500;
/** Half a million invocations: an age may exclude all of the first pages, because the list begins with the newest. */
const PAGES_MAX = 1000;
/** A change of more invocations takes several runs, so that the user can review the invocations of each confirmation question. */
const MATCHES_MAX = 10_000;

export interface Matching {
  readonly invocations: readonly InvocationSummaryBody[];
  /** The position from which another run goes on; present if the collection stopped at one of its bounds. */
  readonly next?: string;
}

/** @param olderThanMs the minimum age of a matching invocation, by the clock of the server; undefined for any age */
export async function matching(
  session: Session,
  query: URLSearchParams,
  olderThanMs: number | undefined,
): Promise<Matching> {
  // An invocation whose status changes between two pages may be on both.
  const byId = new Map<string, InvocationSummaryBody>();
  const page = new URLSearchParams(query);
  page.set("details", "false");
  let read = 0;
  let bornBeforeMs: number | undefined;
  for (let pages = 1; ; pages++) {
    // The last page ends with the last match, so that its position is the one from which the next run goes on.
    page.set("limit", String(Math.min(PAGE_SIZE, MATCHES_MAX - byId.size)));
    const path = `invocations?${page.toString()}`;
    const what = `Looking for invocations: ${read} read`;
    const { body, headers } = await session.admin.ask<InvocationListBody>("GET", path, undefined, what);
    bornBeforeMs ??= olderThanMs === undefined ? Infinity : serverNowMs(headers) - olderThanMs;
    read += body.invocations.length;
    for (const one of body.invocations) if (Date.parse(one.created_at) <= bornBeforeMs) byId.set(one.id, one);
    const { next } = body;
    if (next === undefined || byId.size >= MATCHES_MAX || pages >= PAGES_MAX)
      return { invocations: [...byId.values()].slice(0, MATCHES_MAX), ...(next !== undefined && { next }) };
    page.set("after", next);
  }
}

/** The age of an invocation refers to the server's clock, which the header shows. Without it, this machine's clock counts. */
function serverNowMs({ date = "" }: IncomingHttpHeaders): number {
  const nowMs = Date.parse(date);
  return Number.isNaN(nowMs) ? Date.now() : nowMs;
}
