/** One page of invocations that match by what no index shows: how they ended, where they ran, and why they failed. */
import type { EndOutcome } from "../../core/invocation/end-outcome.ts";
import { causeId } from "../../core/query/cause.ts";
import { both, type Narrowing } from "../../core/query/narrowing.ts";
import type { Engine } from "../engine.ts";
import { listInvocations, type PageChoice } from "./list-invocations.ts";
import { type ListPosition, positionOf } from "./list-position.ts";
import { type DetailedRow, errorOfRow, RowReader } from "./row-details.ts";

export interface DetailedPage {
  readonly invocations: readonly DetailedRow[];
  /** Present if more may follow, even after a page that is not full or is empty. */
  readonly next?: ListPosition;
}

/** A row has to match each member that is present. */
export interface DetailsFilter {
  /** Only completed invocations have an outcome. */
  readonly outcomes?: ReadonlySet<EndOutcome>;
  readonly deployments?: ReadonlySet<string>;
  readonly limitKeys?: ReadonlySet<string>;
  /** Ids of causes (`causeId`). */
  readonly causes?: ReadonlySet<string>;
}

/** The details cost reads, so one page looks at no more than this many invocations. */
const LOOKED_AT_MAX = 400;
const LOOKS_TOGETHER = 50;

/** @throws UnlistableError */
export async function listByDetails(
  engine: Engine,
  narrowing: Narrowing,
  wanted: DetailsFilter,
  { limit, ...choice }: PageChoice,
): Promise<DetailedPage> {
  const bounds = new Map(narrowing);
  if (wanted.outcomes !== undefined) bounds.set("status", both(narrowing.get("status") ?? {}, { in: ["completed"] }));
  const page = await listInvocations(engine, bounds, { ...choice, limit: LOOKED_AT_MAX });
  const reader = new RowReader(engine);
  const found: DetailedRow[] = [];
  for (let from = 0; from < page.invocations.length; from += LOOKS_TOGETHER) {
    const rows = await reader.details(page.invocations.slice(from, from + LOOKS_TOGETHER));
    for (const [at, row] of rows.entries()) {
      // The reads of this page were used up before this row, so the next page begins with it.
      const before = page.invocations[from + at - 1];
      if (row.isUnread === true && before !== undefined) return { invocations: found, next: positionOf(before) };
      if (matches(row, wanted)) found.push(row);
      if (found.length >= limit) return { invocations: found, next: positionOf(row) };
    }
  }
  return { invocations: found, ...(page.next && { next: page.next }) };
}

function matches(row: DetailedRow, { outcomes, deployments, limitKeys, causes }: DetailsFilter): boolean {
  if (outcomes !== undefined && (row.outcome === undefined || !outcomes.has(row.outcome))) return false;
  if (deployments !== undefined && !deployments.has(row.deploymentId ?? "")) return false;
  if (limitKeys !== undefined && (row.limitKey === undefined || !limitKeys.has(row.limitKey))) return false;
  if (causes === undefined) return true;
  const error = errorOfRow(row);
  return error !== undefined && causes.has(causeId(error));
}
