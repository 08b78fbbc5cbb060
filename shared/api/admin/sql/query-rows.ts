/** Writes rows as the JSON of `POST /query`: cells without a value are omitted, and integers keep all their digits. */
import { hex } from "../../../core/model/hex.ts";
import { momentIso } from "../../../core/model/moment.ts";
import type { CellValue } from "../../../core/query/table-shape.ts";
import type { SqlCells, SqlColumn } from "../../../engine/ports/sql.ts";

const TEXT = new TextEncoder();

/** @returns a function that writes the next rows of the answer */
export function rowsJson(columns: readonly SqlColumn[]): (rows: readonly SqlCells[], isLast: boolean) => Uint8Array {
  return pieces(columns, "{");
}

/** Like `rowsJson`, but writes the names of all columns first, because the rows do not show a column that has no value at all. */
export function columnedJson(columns: readonly SqlColumn[]): ReturnType<typeof rowsJson> {
  return pieces(columns, `{"columns":${JSON.stringify(columns.map(({ name }) => name))},`);
}

/** @param head the text before the member `rows` */
function pieces(columns: readonly SqlColumn[], head: string): ReturnType<typeof rowsJson> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const rowJson = (row: SqlCells): string => {
    const cells: string[] = [];
    for (const [at, value] of row.entries())
      if (value !== null) cells.push(`${names[at]}:${cellJson(value, columns[at]!.type)}`);
    return `{${cells.join(",")}}`;
  };
  let before = `${head}"rows":[`;
  return (rows, isLast) => {
    const text = `${before}${rows.map(rowJson).join(",")}${isLast ? "]}" : ""}`;
    if (rows.length > 0) before = ",";
    return TEXT.encode(isLast && rows.length === 0 && before === "," ? "]}" : text);
  };
}

function cellJson(value: NonNullable<CellValue>, type: SqlColumn["type"]): string {
  if (type === "moment") return JSON.stringify(momentJson(Number(value)));
  if (type === "duration") return `"PT${Number(value) / 1000}S"`;
  if (value instanceof Uint8Array) return `"${hex(value)}"`;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** RFC 3339 with milliseconds, which are omitted if they are zero. */
function momentJson(atMs: number): string {
  return momentIso(atMs).replace(".000Z", "Z");
}
