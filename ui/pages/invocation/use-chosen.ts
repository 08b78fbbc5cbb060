/** The chosen row of a timeline, which the address names by an entry: `entry=7`, with `of` for a called invocation. */
import { useEffect, useRef, useState } from "preact/hooks";
import { setQuery } from "../../data/location.ts";
import type { Operation } from "../../model/timeline/operation.ts";
import { firstProblem, type Row } from "../../model/timeline/rows.ts";

export interface Chosen {
  /** The chosen row, whose details are shown. */
  readonly row: Row | undefined;
  /** The place of the chosen row in the list; if no row is chosen, the place of the row to which the list last scrolled. */
  readonly at: number | undefined;
  /** The list scrolls to this place when the place changes. */
  readonly scrollTo: number | undefined;
  readonly choose: (row: Row) => void;
  readonly close: () => void;
}

/** A short timeline is seen whole, so nothing needs to scroll. */
const SCROLLS_FROM_ROWS = 30;

export function useChosen(rows: readonly Row[], operations: readonly Operation[], query: URLSearchParams): Chosen {
  const [entry, of] = [query.get("entry"), query.get("of")];
  const [cursor, setCursor] = useState<number>();
  const wasOpened = useRef(false);
  const at = entry === null ? undefined : placeOf(rows, entry, of);
  useEffect(() => {
    if (wasOpened.current || operations.length === 0) return;
    wasOpened.current = true;
    // The timeline opens at the first problem, unless the address names an entry.
    const problem = entry === null && rows.length > SCROLLS_FROM_ROWS ? firstProblem(operations) : undefined;
    setCursor(problem === undefined ? at : placeOf(rows, problem.key, null));
  }, [operations.length > 0]);
  return {
    row: at === undefined ? undefined : rows[at],
    at: at ?? cursor,
    scrollTo: cursor,
    choose(row) {
      const place = rows.indexOf(row);
      setCursor(place);
      const name = nameOf(row);
      if (name !== undefined)
        setQuery({ entry: name, of: row.depth > 0 && isOfChild(row) ? row.invocationId : undefined });
    },
    close: () => setQuery({ entry: undefined, of: undefined }),
  };
}

function isOfChild({ key }: Row): boolean {
  return key.includes("/");
}

function nameOf(row: Row): string | undefined {
  if (row.kind === "operation") return row.operation.key;
  return row.kind === "group" ? `g${row.operations[0]!.key}` : undefined;
}

/** An address may name any entry of an operation, also of one in a collapsed group. */
function placeOf(rows: readonly Row[], name: string, of: string | null): number | undefined {
  const index = /^\d{1,9}$/.test(name) ? Number(name) : undefined;
  const isOwn = (row: Row): boolean => (of === null ? !isOfChild(row) : row.invocationId === of && isOfChild(row));
  const has = ({ key, entries }: Operation): boolean =>
    key === name || (index !== undefined && entries.includes(index));
  const exact = rows.findIndex(
    (row) => isOwn(row) && (nameOf(row) === name || (row.kind === "operation" && has(row.operation))),
  );
  if (exact >= 0) return exact;
  const group = rows.findIndex((row) => isOwn(row) && row.kind === "group" && row.operations.some(has));
  return group >= 0 ? group : undefined;
}
