/** One page of completed invocations that ended in given ways, newest first. */
import type { EndOutcome } from "../../core/invocation/end-outcome.ts";
import type { Engine } from "../engine.ts";
import { type InvocationFilter, listInvocations } from "./list-invocations.ts";
import { type ListPosition, positionOf } from "./list-position.ts";
import { type DetailedRow, RowReader } from "./row-details.ts";

export interface DetailedPage {
  readonly invocations: readonly DetailedRow[];
  /** Present if more may follow, even after a page that is not full or is empty. */
  readonly next?: ListPosition;
}

/** No index shows how an invocation ended, so one page reads the ends of at most this many invocations. */
const LOOKED_AT_MAX = 400;
const LOOKS_TOGETHER = 50;

/** @throws UnlistableError */
export async function listByOutcome(
  engine: Engine,
  filter: InvocationFilter,
  outcomes: ReadonlySet<EndOutcome>,
  limit: number,
  after?: ListPosition,
): Promise<DetailedPage> {
  if (filter.statuses?.includes("completed") === false) return { invocations: [] };
  const page = await listInvocations(engine, { ...filter, statuses: ["completed"] }, LOOKED_AT_MAX, after);
  const reader = new RowReader(engine);
  const found: DetailedRow[] = [];
  for (let from = 0; from < page.invocations.length; from += LOOKS_TOGETHER) {
    const rows = await reader.details(page.invocations.slice(from, from + LOOKS_TOGETHER));
    for (const [at, row] of rows.entries()) {
      // The reads of this page were used up before this row, so the next page begins with it.
      const before = page.invocations[from + at - 1];
      if (row.isUnread === true && before !== undefined) return { invocations: found, next: positionOf(before) };
      if (row.outcome !== undefined && outcomes.has(row.outcome)) found.push(row);
      if (found.length >= limit) return { invocations: found, next: positionOf(row) };
    }
  }
  return { invocations: found, ...(page.next && { next: page.next }) };
}
