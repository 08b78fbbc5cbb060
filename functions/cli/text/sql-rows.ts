/** Reads the rows of a SQL answer, and writes them as CSV. */

/** Undefined stands for NULL. */
export type Cell = string | number | bigint | boolean | undefined;

export interface SqlRows {
  readonly columns: readonly string[];
  /** One cell for each column. */
  readonly rows: readonly (readonly Cell[])[];
}

/** The closing quote is optional, so that the expression never backtracks. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** An integer that a parser may round. */
const LONG_INTEGER = /^-?\d{16,}$/;
/** Begins the text that takes the place of such an integer while the answer is parsed. */
const LONG = "\u0000";

/**
 * @param json the answer of `POST /query`, which omits cells without a value; if it does not name its columns, only the
 *   columns with a value are known
 * @throws SyntaxError
 */
export function readRows(json: string): SqlRows {
  const exact = json.replaceAll(STRING_OR_NUMBER, (found) =>
    LONG_INTEGER.test(found) ? JSON.stringify(`${LONG}${found}`) : found,
  );
  const { rows, columns = columnsOf(rows) } = JSON.parse(exact) as Partial<Pick<SqlRows, "columns">> & {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  };
  return { columns, rows: rows.map((row) => columns.map((column) => cellOf(valueOf(row, column)))) };
}

/**
 * The columns in an order that follows the rows: each new column is placed right after the column that precedes it in
 * its row.
 */
function columnsOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const columns: string[] = [];
  for (const row of rows) {
    let at = 0;
    for (const name of Object.keys(row)) {
      const known = columns.indexOf(name);
      if (known < 0) columns.splice(at, 0, name);
      at = (known < 0 ? at : known) + 1;
    }
  }
  return columns;
}

/** A row without a cell has no member of its name, and objects inherit members such as `__proto__`. */
function valueOf(row: Readonly<Record<string, unknown>>, column: string): unknown {
  return Object.hasOwn(row, column) ? row[column] : undefined;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.startsWith(LONG) ? longOf(value) : value;
  return typeof value === "number" || typeof value === "boolean" ? value : JSON.stringify(value);
}

function longOf(value: string): Cell {
  const digits = value.slice(LONG.length);
  return LONG_INTEGER.test(digits) ? BigInt(digits) : value;
}

/** RFC 4180, but lines end with only a line feed. NULL is an empty field; an empty text is a quoted empty field. */
export function csvText({ columns, rows }: SqlRows): string {
  return [columns, ...rows].map((row) => row.map(fieldOf).join(",")).join("\n");
}

function fieldOf(cell: Cell): string {
  if (cell === undefined) return "";
  const text = String(cell);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
