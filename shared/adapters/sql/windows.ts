/** Window functions: row_number, rank, dense_rank, lag and lead. */
import { SqlError } from "../../engine/ports/sql.ts";
import { type Term, compareKeys, type SortTerm } from "./terms.ts";
import type { Type, Value } from "./values.ts";

/** One window function of a SELECT. */
export interface WindowCall {
  readonly name: string;
  /** The slot of its result in the row. */
  readonly slot: number;
  readonly type: Type;
  readonly args: readonly Term[];
  readonly partitionBy: readonly Term[];
  readonly orderBy: readonly SortTerm[];
  /** @returns the results for the rows of one partition, in their order */
  results(rows: readonly WindowRow[]): Value[];
}

export interface WindowRow {
  readonly keys: readonly Value[];
  readonly args: readonly Value[];
}

type Kind = (rows: readonly WindowRow[], orderBy: readonly SortTerm[]) => Value[];

const KINDS: Readonly<Record<string, Kind>> = {
  ROW_NUMBER: (rows) => rows.map((_, at) => at + 1),
  RANK: (rows, orderBy) => ranks(rows, orderBy, (_last, at) => at + 1),
  DENSE_RANK: (rows, orderBy) => ranks(rows, orderBy, (last) => last + 1),
  LAG: (rows) => shifted(rows, -1),
  LEAD: (rows) => shifted(rows, 1),
};

const ARGUMENTS_MAX: Readonly<Record<string, number>> = { LAG: 3, LEAD: 3 };

export function isWindow(name: string): boolean {
  return Object.hasOwn(KINDS, name);
}

/** @throws SqlError for arguments that the function does not take */
export function windowCall(given: Omit<WindowCall, "type" | "results">): WindowCall {
  const { name, args, orderBy } = given;
  const most = ARGUMENTS_MAX[name] ?? 0;
  if (args.length > most || (most > 0 && args.length === 0))
    throw new SqlError("syntax", `${name.toLowerCase()} takes ${most === 0 ? "no" : `1 to ${most}`} arguments`);
  const type = args[0]?.type ?? "integer";
  return { ...given, type, results: (rows) => KINDS[name]!(rows, orderBy) };
}

/** @param next the rank after `last`, of the row at the index `at` */
function ranks(
  rows: readonly WindowRow[],
  orderBy: readonly SortTerm[],
  next: (last: number, at: number) => number,
): number[] {
  let rank = 0;
  return rows.map(({ keys }, at) => {
    const before = rows[at - 1];
    if (before === undefined || compareKeys(before.keys, keys, orderBy) !== 0) rank = next(rank, at);
    return rank;
  });
}

/** The first argument on another row; the second argument is the distance of that row, the third one the default. */
function shifted(rows: readonly WindowRow[], sign: 1 | -1): Value[] {
  return rows.map(({ args: [, distance, otherwise = null] }, at) => {
    const other = rows[at + sign * Number(distance ?? 1)];
    return other === undefined ? otherwise : (other.args[0] ?? null);
  });
}
