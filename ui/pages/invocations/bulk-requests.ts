/** The requests of a change of many invocations: the search for those that match, and one batch of the change. */
import type { BatchBody } from "../../../shared/api/contract/changes.ts";
import { ask } from "../../data/api.ts";
import { listingPages } from "../../data/listing.ts";
import { readsHaveAPrice } from "../../data/server.ts";
import { type BulkChange, MATCHES_MAX } from "../../model/bulk-changes.ts";
import { apiQuery, type InvocationFilter } from "../../model/invocation-filter.ts";
import type { Row } from "../../model/list-rows.ts";

export interface Matching {
  readonly rows: readonly Row[];
  /** The search stopped at a bound, so at least these match. */
  readonly mayHaveMore: boolean;
}

const PAGE = 500;
const PAGES_MAX = 200;
const BATCH = 1_000;
/**
 * If the server runs as functions, the gateway in front of them waits 30 seconds for an answer, and the server changes only
 * twenty invocations at a time.
 */
const FUNCTIONS_BATCH = 100;

/** @throws ApiProblem */
export async function findMatching(
  filter: InvocationFilter,
  aborted: AbortSignal,
  onFound: (count: number) => void,
): Promise<Matching> {
  // An invocation whose status changes between two pages may be on both.
  const byId = new Map<string, Row>();
  const query = apiQuery(filter);
  query.set("details", "false");
  query.set("limit", String(PAGE));
  let mayHaveMore = false;
  for await (const { invocations, next } of listingPages({ query, signal: aborted }, { requestsMax: PAGES_MAX })) {
    for (const row of invocations) byId.set(row.id, row);
    onFound(byId.size);
    mayHaveMore = byId.size > MATCHES_MAX || next !== undefined;
    if (byId.size > MATCHES_MAX) break;
  }
  return { rows: [...byId.values()].slice(0, MATCHES_MAX), mayHaveMore };
}

export function batchSize(): number {
  return readsHaveAPrice.peek() ? FUNCTIONS_BATCH : BATCH;
}

/** @throws ApiProblem */
export async function changeBatch(change: BulkChange, ids: readonly string[]): Promise<Partial<BatchBody>> {
  const path = `internal/invocations_batch_operations/${change.route}`;
  return await ask<Partial<BatchBody>>(path, { method: "POST", body: { invocation_ids: ids } });
}
