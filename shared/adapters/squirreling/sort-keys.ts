/** Keeps the keys of an ORDER BY apart from the functions of the same statement. */
import type { SelectStatement } from "squirreling";

type OrderByItem = SelectStatement["orderBy"][number];

/**
 * The SQL engine stores the value of a key in its row under a name that it makes from the expression. If it makes the same name
 * for a function call, it takes the stored value and does not evaluate the call. But different calls may get the same name: for
 * example `id || 'status'` and `id || status`, which are calls of TEXT_JOIN by then (`dialect.ts`). So each key becomes a CASE,
 * because no function call gets the name of a CASE.
 */
export function withOwnKey(item: OrderByItem): OrderByItem {
  const { expr } = item;
  const { positionStart, positionEnd } = expr;
  const place = { positionStart, positionEnd };
  const always = { ...place, condition: { ...place, type: "literal" as const, value: true }, result: expr };
  return { ...withNullsLargest(item), expr: { ...place, type: "case", whenClauses: [always] } };
}

/** As in PostgreSQL and DataFusion, a NULL is larger than each value. */
export function withNullsLargest(item: OrderByItem): OrderByItem {
  return { ...item, nulls: item.nulls ?? (item.direction === "DESC" ? "FIRST" : "LAST") };
}
