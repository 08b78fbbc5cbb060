/** The list of invocations, read on over its pages: all look-ups of the web UI in the list go through here. */
import type { InvocationListBody, InvocationSummaryBody } from "../../shared/api/contract/invocations.ts";
import { type FirstRows, firstRows, pagesOf, type ReadOnBounds } from "../model/pages-of.ts";
import { ask, readsHaveAPrice } from "./api.ts";

/** One request reads only a part of the index, so several may be needed for a first row. */
const REQUESTS_MAX = 40;
const PRICED_REQUESTS_MAX = 3;
const WITHIN_MS = 10_000;

export interface Listing {
  readonly query: URLSearchParams;
  readonly signal?: AbortSignal | undefined;
  /** Begins after this position of an earlier page. */
  readonly after?: string | undefined;
}

/** The page at a position. @throws ApiProblem */
export async function listingPage({ query, signal }: Listing, after: string | undefined): Promise<InvocationListBody> {
  const asked = new URLSearchParams(query);
  if (after !== undefined) asked.set("after", after);
  return await ask<InvocationListBody>(`invocations?${asked.toString()}`, signal === undefined ? {} : { signal });
}

/** The pages, one after the other, to the end of the list or to a bound. @throws ApiProblem */
export function listingPages(listing: Listing, bounds: ReadOnBounds): AsyncGenerator<InvocationListBody> {
  return pagesOf<InvocationSummaryBody, InvocationListBody>(
    (next) => listingPage(listing, next ?? listing.after),
    bounds,
  );
}

/** How many requests a look-up may send before the reader asks for more. */
export function requestsAtOnce(): number {
  return readsHaveAPrice.peek() ? PRICED_REQUESTS_MAX : REQUESTS_MAX;
}

/** The first rows of a list. @throws ApiProblem */
export async function firstListed(listing: Listing, count: number): Promise<FirstRows<InvocationSummaryBody>> {
  const endMs = performance.now() + WITHIN_MS;
  return await firstRows<InvocationSummaryBody>((next) => listingPage(listing, next ?? listing.after), count, {
    requestsMax: requestsAtOnce(),
    isOver: () => performance.now() > endMs,
  });
}
