/** Selects rows of the list: one, a range from the last chosen one, all loaded ones, or none. */
import type { Row } from "../../model/list-rows.ts";
import type { InvocationList } from "./invocation-list.ts";

/** @param isRange whether to select or deselect all rows from the current row of the list to the row at `index` */
export function toggleRow(list: InvocationList, index: number, isRange: boolean): void {
  const { shown } = list.rows.peek();
  const row = shown[index];
  if (row === undefined) return;
  const from = list.current.peek();
  const selected = new Map(list.selected.peek());
  const isOn = !selected.has(row.id);
  const [begin, end] = isRange && from !== undefined ? [Math.min(from, index), Math.max(from, index)] : [index, index];
  for (const one of shown.slice(begin, end + 1)) {
    if (isOn) selected.set(one.id, one);
    else selected.delete(one.id);
  }
  list.selected.value = selected;
  list.current.value = index;
}

export function selectLoaded(list: InvocationList): void {
  list.selected.value = byId(list.rows.peek().shown);
}

export function selectNone(list: InvocationList): void {
  list.selected.value = new Map();
}

/** Selects the invocations that a bulk change did not change, whose ids are in `ids`, and deselects all others. */
export function selectOnly(list: InvocationList, ids: ReadonlySet<string>): void {
  const all = [...list.rows.peek().shown, ...list.selected.peek().values()];
  list.selected.value = byId(all.filter(({ id }) => ids.has(id)));
}

function byId(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
