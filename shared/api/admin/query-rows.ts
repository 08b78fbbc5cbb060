/** Writes rows as the JSON of `POST /query`: cells without a value are omitted, and integers keep all their digits. */
import { hex } from "../../core/model/hex.ts";
import { momentIso } from "../../core/model/moment.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { SqlAnswer, SqlColumn } from "../../engine/ports/sql.ts";

const TEXT = new TextEncoder();

/** The characters of a piece. Pieces of this size are large enough that the overhead for each is negligible. */
const PIECE_LETTERS = 256 * 1024;

/** @returns the answer in pieces, so that the whole text is never in memory at once */
export function rowsJson(answer: SqlAnswer): Generator<Uint8Array> {
  return piecesOf(answer, "{");
}

/** As `rowsJson`, with the names of all columns first: rows do not show a column that has no value in any of them. */
export function columnedJson(answer: SqlAnswer): Generator<Uint8Array> {
  return piecesOf(answer, `{"columns":${JSON.stringify(answer.columns.map(({ name }) => name))},`);
}

/** @param head the text before the member of the rows */
function* piecesOf({ columns, rows }: SqlAnswer, head: string): Generator<Uint8Array> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  let text = `${head}"rows":[`;
  for (const [line, row] of rows.entries()) {
    const cells: string[] = [];
    for (const [at, value] of row.entries()) {
      if (value !== null) cells.push(`${names[at]}:${cellJson(value, columns[at]!.type)}`);
    }
    text += `${line === 0 ? "" : ","}{${cells.join(",")}}`;
    if (text.length < PIECE_LETTERS) continue;
    yield TEXT.encode(text);
    text = "";
  }
  yield TEXT.encode(`${text}]}`);
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
