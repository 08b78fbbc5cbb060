/**
 * Keeps the rows and the selection of the list for one filter. The view polls the first page with `readHead`, and gets older
 * pages with `readOlder` as the reader scrolls.
 */
import { signal } from "@preact/signals";
import type { ListOrder } from "../../../shared/api/wire/list-filters.ts";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { firstListed, listingPage, listingPages, requestsAtOnce } from "../../data/listing.ts";
import { apiQuery, type InvocationFilter } from "../../model/invocation-filter.ts";
import { NO_ROWS, type ListRow, type Rows, ROWS_MAX, withFresh, withHead, withOlder } from "../../model/list-rows.ts";

export const FIRST_PAGE = 100;
const LATER_PAGE = 500;
/** The list with the oldest first has no further rows. */
export const OLDEST_MAX = 200;

export class InvocationList {
  readonly rows = signal(NO_ROWS);
  /** Older rows may follow. */
  readonly mayHaveMore = signal(false);
  readonly isLoadingMore = signal(false);
  readonly problem = signal<ApiProblem | undefined>(undefined);
  /** The number of requests for older rows that found no row, since the last row was found. */
  readonly inVain = signal(0);
  /** By id; a row stays selected when the list is read again. */
  readonly selected = signal<ReadonlyMap<string, ListRow>>(new Map());
  /** The row that the keyboard acts on. A click with Shift selects or deselects the rows from this row to the clicked one. */
  readonly current = signal<number | undefined>(undefined);
  readonly #filter: InvocationFilter;
  readonly #order: ListOrder;
  #next: string | undefined;
  /** The next answer with the first page begins the list anew, as the first answer does. */
  #beginsAnew = true;
  /** Aborts the reads of older pages when the list begins anew, because their rows belong to the former list. */
  #older = new AbortController();

  constructor(filter: InvocationFilter, order: ListOrder) {
    this.#filter = filter;
    this.#order = order;
  }

  /** Reads the first page. @throws ApiProblem */
  async readHead(aborted: AbortSignal): Promise<number> {
    if (this.#order === "oldest") return await this.#readOldest(aborted);
    const { invocations, next } = await listingPage({ query: this.#query(FIRST_PAGE), signal: aborted }, undefined);
    const isWhole = next === undefined;
    const before = this.#beginsAnew ? NO_ROWS : this.rows.peek();
    if (this.#beginsAnew) this.#leaveOlder();
    if (this.#beginsAnew || isWhole) this.#goOnAfter(next);
    this.#beginsAnew = false;
    this.#show(withHead(before, invocations, isWhole));
    this.#renewSelected(invocations);
    const isUnseen = this.rows.peek().shown.length === 0 && this.inVain.peek() === 0;
    if (isUnseen && !isWhole) await this.readOlder();
    return invocations.length;
  }

  /** Renews the selected rows that the page contains, because the possible bulk changes depend on their present status. */
  #renewSelected(page: readonly ListRow[]): void {
    const selected = this.selected.peek();
    const renewed = page.filter(({ id }) => selected.has(id));
    if (renewed.length === 0) return;
    this.selected.value = new Map([...selected, ...byId(renewed)]);
  }

  #leaveOlder(): void {
    this.#older.abort();
    this.#older = new AbortController();
    this.isLoadingMore.value = false;
    this.problem.value = undefined;
    this.inVain.value = 0;
  }

  #goOnAfter(next: string | undefined): void {
    this.#next = next;
    this.mayHaveMore.value = next !== undefined;
  }

  /** The row of the keyboard stays the same one when rows above it leave the list. */
  #show(rows: Rows): void {
    const at = this.current.peek();
    const id = at === undefined ? undefined : this.rows.peek().shown[at]?.id;
    this.rows.value = rows;
    if (id === undefined || rows.shown[at!]?.id === id) return;
    const now = rows.shown.findIndex((row) => row.id === id);
    this.current.value = now === -1 ? undefined : now;
  }

  /** Reads on until a page has rows. A page may be empty although more rows follow. */
  async readOlder(): Promise<void> {
    const isFull = this.rows.peek().shown.length >= ROWS_MAX;
    if (this.isLoadingMore.peek() || this.#next === undefined || isFull || this.#order === "oldest") return;
    this.isLoadingMore.value = true;
    this.problem.value = undefined;
    const { signal: aborted } = this.#older;
    try {
      const listing = { query: this.#query(LATER_PAGE), signal: aborted, after: this.#next };
      for await (const { invocations, next } of listingPages(listing, { requestsMax: requestsAtOnce() })) {
        if (aborted.aborted) return;
        this.#goOnAfter(next);
        this.rows.value = withOlder(this.rows.peek(), invocations);
        this.inVain.value = invocations.length > 0 ? 0 : this.inVain.peek() + 1;
        if (invocations.length > 0) break;
      }
    } catch (error) {
      if (!aborted.aborted) this.problem.value = problemOf(error);
    } finally {
      if (!aborted.aborted) this.isLoadingMore.value = false;
    }
  }

  /**
   * Shows the new rows above the others; the keyboard begins at the first new row.
   * @returns false if the list has to be read anew
   */
  showFresh(): boolean {
    const joined = withFresh(this.rows.peek(), FIRST_PAGE);
    if (joined === undefined) return false;
    this.rows.value = joined;
    this.current.value = undefined;
    return true;
  }

  /** Lets the next read of the first page begin anew. Until its answer the rows stay, and the selection stays. */
  beginAnew(): void {
    this.#beginsAnew = true;
  }

  /** @param isRange whether to select or deselect all rows from the current row of the list to the row at `index` */
  toggleRow(index: number, isRange: boolean): void {
    const { shown } = this.rows.peek();
    const row = shown[index];
    if (row === undefined) return;
    const from = this.current.peek();
    const selected = new Map(this.selected.peek());
    const isOn = !selected.has(row.id);
    const [begin, end] =
      isRange && from !== undefined ? [Math.min(from, index), Math.max(from, index)] : [index, index];
    for (const one of shown.slice(begin, end + 1)) {
      if (isOn) selected.set(one.id, one);
      else selected.delete(one.id);
    }
    this.selected.value = selected;
    this.current.value = index;
  }

  /** Selects the rows up to `index`, beginning at the nearest selected row above it, or at the first row. */
  selectUpTo(index: number): void {
    const { shown } = this.rows.peek();
    const selected = this.selected.peek();
    let from = index - 1;
    while (from > 0 && !selected.has(shown[from]!.id)) from--;
    this.selected.value = new Map([...selected, ...byId(shown.slice(Math.max(0, from), index + 1))]);
  }

  selectLoaded(): void {
    this.selected.value = byId(this.rows.peek().shown);
  }

  selectNone(): void {
    this.selected.value = new Map();
  }

  /** Selects the invocations that a bulk change did not change, whose ids are in `ids`, and deselects all others. */
  selectOnly(ids: ReadonlySet<string>): void {
    const all = [...this.rows.peek().shown, ...this.selected.peek().values()];
    this.selected.value = byId(all.filter(({ id }) => ids.has(id)));
  }

  #query(limit: number): URLSearchParams {
    const query = apiQuery(this.#filter);
    query.set("limit", String(limit));
    query.set("waits", "true");
    return query;
  }

  async #readOldest(aborted: AbortSignal): Promise<number> {
    const query = this.#query(OLDEST_MAX);
    query.set("order", this.#order);
    const { rows, mayHaveMore } = await firstListed({ query, signal: aborted }, OLDEST_MAX);
    this.#show({ shown: rows.slice(0, OLDEST_MAX), fresh: [] });
    this.mayHaveMore.value = mayHaveMore;
    this.#renewSelected(rows);
    return rows.length;
  }
}

function byId(rows: readonly ListRow[]): ReadonlyMap<string, ListRow> {
  return new Map(rows.map((row) => [row.id, row]));
}
