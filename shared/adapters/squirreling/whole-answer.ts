/** Collects the rows of a statement, within the bounds of an answer that is in memory as a whole. */
import { type SqlAnswer, type SqlCells, type SqlColumn, SqlError, type SqlRows } from "../../engine/ports/sql.ts";
import { sizeOf, typeOfValues } from "./values.ts";

const UINT32_MAX = 2n ** 32n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const GROUP_ROWS = 512;

export interface WholeLimits {
  readonly rowsMax: number;
  /** The limit for all values together; absent means no limit. */
  readonly answerMaxBytes?: number;
}

/** @throws SqlError if the rows exceed a limit */
export async function wholeAnswer({ columns, groups }: SqlRows, limits: WholeLimits): Promise<SqlAnswer> {
  const rows: SqlCells[] = [];
  for await (const group of withinLimits(groups, limits)) rows.push(...group);
  const typed = columns.map(({ name, type }, at) => ({
    name,
    type: type === "unknown" ? typeOfValues(rows, at) : type,
  }));
  return { columns: typed, rows };
}

/** The same rows, with the types that their values show. @throws SqlError if the rows exceed a limit */
export async function typedRows(rows: SqlRows, limits: WholeLimits): Promise<SqlRows> {
  const { columns, rows: all } = await wholeAnswer(rows, limits);
  const groups = async function* (): AsyncGenerator<readonly SqlCells[]> {
    for (let at = 0; at < all.length; at += GROUP_ROWS) yield all.slice(at, at + GROUP_ROWS);
  };
  const fitting = columns.map(({ name, type }, at) => ({ name, type: signedIfNeeded(type, all, at) }));
  return { columns: fitting, isTyped: true, groups: groups() };
}

/** @throws SqlError at the first group that exceeds a limit */
export async function* withinLimits<Cell extends Parameters<typeof sizeOf>[0]>(
  groups: AsyncIterable<readonly (readonly Cell[])[]>,
  { rowsMax, answerMaxBytes = Infinity }: WholeLimits,
): AsyncGenerator<readonly (readonly Cell[])[]> {
  let count = 0;
  let bytes = 0;
  for await (const group of groups) {
    count += group.length;
    if (count > rowsMax)
      throw new SqlError(
        "refused",
        `the answer, or a list in the statement, has more than ${rowsMax} rows; add a LIMIT`,
      );
    for (const row of group) for (const value of row) bytes += sizeOf(value);
    if (bytes > answerMaxBytes) throw answerTooLarge(answerMaxBytes);
    yield group;
  }
}

/** An unsigned column gets the type `integer` if one of its values is outside the range of the unsigned type. */
function signedIfNeeded(type: SqlColumn["type"], rows: readonly SqlCells[], at: number): SqlColumn["type"] {
  if (type !== "uint32" && type !== "uint64") return type;
  const max = type === "uint32" ? UINT32_MAX : UINT64_MAX;
  const fits = (row: SqlCells): boolean => row[at] === null || ((row[at] as bigint) >= 0 && (row[at] as bigint) <= max);
  return rows.every(fits) ? type : "integer";
}

function answerTooLarge(maxBytes: number): SqlError {
  return new SqlError("refused", `the answer has more than ${maxBytes} bytes; ask for fewer columns, or add a LIMIT`);
}
