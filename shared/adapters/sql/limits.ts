/** The limits of a statement: its work, the rows and the bytes of its answer. */
import { type SqlAnswer, type SqlCells, SqlError, type SqlRows } from "../../engine/ports/sql.ts";
import { sizeOf } from "./values.ts";

export interface SqlLimits {
  readonly statementMaxLength: number;
  /** The limit for the rows of an answer that is in memory as a whole, and of the inner statement of an IN. */
  readonly rowsMax: number;
  /** The limit of steps in joins, sorts and groups; each row is one step. */
  readonly stepsMax: number;
  /**
   * The limit in bytes for all values of an answer that is in memory as a whole, or of the inner statement of an IN; absent
   * means no limit.
   */
  readonly answerMaxBytes?: number;
}

export const SQL_LIMITS: SqlLimits = {
  statementMaxLength: 262_144,
  rowsMax: 100_000,
  stepsMax: 50_000_000,
  answerMaxBytes: 64 * 1024 * 1024,
};

/** Limits the work of one statement. */
export class StepLimit {
  #left: number;
  #read = 0;

  constructor(stepsMax: number) {
    this.#left = stepsMax;
  }

  /** Counts a row that any scan reads. @returns the number of rows up to now */
  countRead(): number {
    return ++this.#read;
  }

  /** @throws SqlError if the statement takes more steps than the limit */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0)
      throw new SqlError(
        "refused",
        "this statement takes too many steps; narrow what it joins, sorts or groups by WHERE",
      );
  }
}

export interface WholeLimits {
  readonly rowsMax: number;
  /** The limit for all values together; absent means no limit. */
  readonly answerMaxBytes?: number;
}

/** @throws SqlError if the rows exceed a limit */
export async function wholeAnswer({ columns, groups }: SqlRows, limits: WholeLimits): Promise<SqlAnswer> {
  const rows: SqlCells[] = [];
  for await (const group of withinLimits(groups, limits)) rows.push(...group);
  return { columns, rows };
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

function answerTooLarge(maxBytes: number): SqlError {
  return new SqlError("refused", `the answer has more than ${maxBytes} bytes; ask for fewer columns, or add a LIMIT`);
}
