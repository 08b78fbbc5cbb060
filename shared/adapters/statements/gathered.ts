/**
 * Gathers small groups of rows into one piece of an answer, until the piece is large enough or its first row has waited long
 * enough.
 */
import type { SqlCells, SqlRows } from "../../engine/ports/sql.ts";

export interface GatherLimits {
  /** The approximate size of the rows of one piece. */
  readonly sizeMaxBytes: number;
  readonly rowsMax: number;
  /** How long a row waits for further rows. */
  readonly waitMaxMs: number;
}

export interface Gathered {
  readonly rows: readonly SqlCells[];
  readonly isLast: boolean;
}

const CELL_BYTES = 8;

/** The last piece may have no rows. */
export async function* gathered(groups: SqlRows["groups"], limits: GatherLimits): AsyncGenerator<Gathered> {
  const source = groups[Symbol.asyncIterator]();
  let rows: SqlCells[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let due: Promise<"due"> | undefined;
  const taken = (isLast: boolean): Gathered => {
    clearTimeout(timer);
    const all = { rows, isLast };
    [rows, bytes, due] = [[], 0, undefined];
    return all;
  };
  try {
    let next = source.next();
    for (;;) {
      const come = await (due === undefined ? next : Promise.race([next, due]));
      if (come === "due") {
        yield taken(false);
        continue;
      }
      if (come.done === true) return yield taken(true);
      rows.push(...come.value);
      bytes += come.value.reduce((sum, row) => sum + sizeOf(row), 0);
      due ??= new Promise((resolve) => (timer = setTimeout(() => resolve("due"), limits.waitMaxMs)));
      if (bytes >= limits.sizeMaxBytes || rows.length >= limits.rowsMax) yield taken(false);
      next = source.next();
    }
  } finally {
    clearTimeout(timer);
    await source.return?.();
  }
}

function sizeOf(row: SqlCells): number {
  return row.reduce<number>((sum, cell) => sum + (typeof cell === "object" ? objectSize(cell) : plainSize(cell)), 0);
}

function plainSize(cell: string | number | bigint | boolean): number {
  return typeof cell === "string" ? CELL_BYTES + cell.length : CELL_BYTES;
}

function objectSize(cell: Extract<SqlCells[number], object | null>): number {
  if (cell === null) return 1;
  if (cell instanceof Uint8Array) return CELL_BYTES + cell.length;
  return cell.reduce<number>((sum, one) => sum + plainSize(one), CELL_BYTES);
}
