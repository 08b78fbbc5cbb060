/** Counts the ends of the last hour from the list of invocations, for a server without the counts in memory. */
import type { EndedBody } from "../../../shared/api/contract/overview.ts";
import { peekNowMs } from "../../data/clock.ts";
import { listingPages } from "../../data/listing.ts";
import { MinuteCounts } from "../../model/ended-bars.ts";
import { momentOf } from "../../model/time-text.ts";

/** Bounds the price: reading one invocation mostly takes half a read unit, and reading the index takes some more. */
export const COUNTED_MAX = 5_000;
const PAGE = 500;
const HOUR_MS = 3_600_000;

export interface CountedHour {
  readonly ended: EndedBody;
  /** False if the bound ended the count. */
  readonly isWhole: boolean;
}

/** Counts only invocations that were accepted in the last hour, because the list is sorted by acceptance. @throws ApiProblem */
export async function countLastHour(aborted: AbortSignal, onProgress: (counted: number) => void): Promise<CountedHour> {
  const nowMs = peekNowMs();
  const counts = new MinuteCounts(nowMs);
  const since = new Date(nowMs - HOUR_MS).toISOString();
  const query = new URLSearchParams({ status: "completed", limit: String(PAGE), created_after: since });
  let counted = 0;
  for await (const { invocations } of listingPages({ query, signal: aborted }, { requestsMax: Infinity })) {
    for (const { completed_at: at, outcome } of invocations) counts.add(momentOf(at), outcome);
    counted += invocations.length;
    onProgress(counted);
    if (counted >= COUNTED_MAX) return { ended: { since, minutes: counts.minutes }, isWhole: false };
  }
  return { ended: { since, minutes: counts.minutes }, isWhole: true };
}
