/** The rows of a long list that grows at its end, while its first page is read again and again. */
import type { InvocationSummaryBody } from "../../shared/api/contract/invocations.ts";

export type ListRow = InvocationSummaryBody;

/** More rows are of no use to a reader, and each costs memory. */
export const ROWS_MAX = 100_000;
/** The number of rows that show their present facts. Later rows keep the facts with which they were loaded. */
const RENEWED_MAX = 2_000;

export interface Rows {
  readonly shown: readonly ListRow[];
  /** New rows, which the list does not show until the reader asks for them, so that no row moves under the pointer. */
  readonly fresh: readonly ListRow[];
}

export const NO_ROWS: Rows = { shown: [], fresh: [] };

/** Adds an older page. A row that moved to a later page while the list was read is kept once. */
export function withOlder({ shown, fresh }: Rows, page: readonly ListRow[]): Rows {
  const known = new Set(shown.map(({ id }) => id));
  const more = page.filter(({ id }) => !known.has(id));
  const added = new Set(more.map(({ id }) => id));
  // A row that began to match the filter only lately may be in `fresh` and also on an older page.
  return { shown: [...shown, ...more].slice(0, ROWS_MAX), fresh: fresh.filter(({ id }) => !added.has(id)) };
}

/**
 * Takes the first page again: known rows show their present facts, and new ones wait until the reader asks for them.
 * @param isWhole whether the page has all rows that match; in that case, a row that the page lacks no longer matches
 */
export function withHead({ shown, fresh }: Rows, page: readonly ListRow[], isWhole: boolean): Rows {
  if (shown.length === 0) return { shown: page, fresh: [] };
  const byId = new Map(page.map((row) => [row.id, row]));
  const kept = isWhole ? shown.filter(({ id }) => byId.has(id)) : shown;
  const renewed = [...kept.slice(0, RENEWED_MAX).map((row) => byId.get(row.id) ?? row), ...kept.slice(RENEWED_MAX)];
  if (renewed.length === 0) return { shown: page, fresh: [] };
  const known = new Set(renewed.map(({ id }) => id));
  const strangers = page.filter(({ id }) => !known.has(id));
  // A full page of unknown rows cannot be joined with the shown rows, because further rows may be between the two.
  const isGap = strangers.length === page.length && !isWhole && page.length > 0;
  const before = isGap ? [] : fresh.filter(({ id }) => !known.has(id) && !byId.has(id) && !isWhole);
  return { shown: renewed, fresh: [...strangers, ...before] };
}

/**
 * Joins the new rows with the shown ones.
 * @returns undefined if further rows may be between the two; the list is then read anew
 */
export function withFresh({ shown, fresh }: Rows, pageSize: number): Rows | undefined {
  if (fresh.length >= pageSize) return undefined;
  const joined = [...fresh, ...shown];
  // An old invocation may have begun to match the filter only lately, so its place is among the shown rows.
  const isInOrder = (fresh.at(-1)?.created_at ?? "") >= (shown[0]?.created_at ?? "");
  const sorted = isInOrder ? joined : joined.sort(newestFirst);
  return { shown: sorted.slice(0, ROWS_MAX), fresh: [] };
}

/** All moments of the API have one format, so comparing their texts compares the moments. */
function newestFirst(a: ListRow, b: ListRow): number {
  return a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0;
}
