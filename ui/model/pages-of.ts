/** Reads a list of the API on, page by page: a page may be empty although more rows follow, because one request has a bound. */

export interface PageOf<Row> {
  readonly invocations: readonly Row[];
  readonly next?: string;
}

export interface ReadOnBounds {
  readonly requestsMax: number;
  /** True once the reader has waited long enough. */
  readonly isOver?: () => boolean;
}

export interface FirstRows<Row> {
  readonly rows: readonly Row[];
  /** True if a bound ended the search before the end of the list. */
  readonly mayHaveMore: boolean;
}

/** @param ask requests the page after a position; the first page if that is undefined */
export async function* pagesOf<Row, Page extends PageOf<Row>>(
  ask: (after: string | undefined) => Promise<Page>,
  { requestsMax, isOver }: ReadOnBounds,
): AsyncGenerator<Page> {
  let after: string | undefined;
  for (let requests = 1; ; requests++) {
    const page = await ask(after);
    yield page;
    after = page.next;
    if (after === undefined || requests >= requestsMax || isOver?.() === true) return;
  }
}

/** The rows of the first pages: at least `count`, unless the list or a bound ends before. */
export async function firstRows<Row>(
  ask: (after: string | undefined) => Promise<PageOf<Row>>,
  count: number,
  bounds: ReadOnBounds,
): Promise<FirstRows<Row>> {
  const rows: Row[] = [];
  let next: string | undefined;
  for await (const page of pagesOf<Row, PageOf<Row>>(ask, bounds)) {
    rows.push(...page.invocations);
    next = page.next;
    if (rows.length >= count) break;
  }
  return { rows, mayHaveMore: next !== undefined };
}
