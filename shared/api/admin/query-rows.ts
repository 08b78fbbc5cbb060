/** Rows as the JSON of `POST /query`: what has no value is left out, and whole numbers are written with all their digits. */
import { hex } from "../../core/model/hex.ts";
import { momentIso } from "../../core/model/moment.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { SqlAnswer, SqlColumn } from "../../engine/ports/sql.ts";

const TEXT = new TextEncoder();

export function rowsJson({ columns, rows }: SqlAnswer): Uint8Array {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const lines = rows.map((row) => {
    const cells: string[] = [];
    for (const [at, value] of row.entries()) {
      if (value !== null) cells.push(`${names[at]}:${cellJson(value, columns[at]!.type)}`);
    }
    return `{${cells.join(",")}}`;
  });
  return TEXT.encode(`{"rows":[${lines.join(",")}]}`);
}

function cellJson(value: NonNullable<CellValue>, type: SqlColumn["type"]): string {
  if (type === "moment") return JSON.stringify(momentJson(Number(value)));
  if (type === "duration") return `"PT${Number(value) / 1000}S"`;
  if (value instanceof Uint8Array) return `"${hex(value)}"`;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** RFC 3339 with milliseconds, which are left out where they are none. */
function momentJson(atMs: number): string {
  return momentIso(atMs).replace(".000Z", "Z");
}
