/** Evaluates expressions over rows, as the SQL engine does within a plan. */
import type { AsyncDataSource, AsyncRow, ExecuteContext, ExprNode, QueryPlan, SqlPrimitive } from "squirreling";
import { executePlan } from "squirreling";

/** The number of rows whose expressions are evaluated together, so that their reads are joined. */
const TOGETHER_FIRST = 8;
const TOGETHER_MAX = 256;

/**
 * Gathers rows in groups of growing size, because a LIMIT may need only the first few rows.
 * @param first the size of the first group
 */
export async function* together(
  rows: AsyncIterable<AsyncRow>,
  context: ExecuteContext,
  first = TOGETHER_FIRST,
): AsyncGenerator<AsyncRow[]> {
  let group: AsyncRow[] = [];
  let size = Math.min(Math.max(first, 1), TOGETHER_MAX);
  for await (const row of rows) {
    if (context.signal?.aborted === true) return;
    if (group.push(row) < size) continue;
    yield group;
    group = [];
    size = Math.min(size * 2, TOGETHER_MAX);
  }
  if (group.length > 0) yield group;
}

/** Evaluates the same expressions on each row. */
export class Evaluator {
  readonly #project: QueryPlan;
  readonly #context: ExecuteContext;
  readonly #names: readonly string[];

  constructor(exprs: readonly ExprNode[], context: ExecuteContext) {
    this.#names = exprs.map((_, at) => `evaluated_${at}`);
    this.#context = context;
    const columns = exprs.map((expr, at) => ({
      type: "derived" as const,
      expr,
      alias: this.#names[at]!,
      positionStart: expr.positionStart,
      positionEnd: expr.positionEnd,
    }));
    this.#project = { type: "Project", columns, child: { type: "Scan", table: GIVEN, hints: {} } };
  }

  /** @returns for each row the values of the expressions, in order */
  async of(rows: readonly AsyncRow[]): Promise<SqlPrimitive[][]> {
    const context = { ...this.#context, tables: { [GIVEN]: tableOf(rows), ...this.#context.tables } };
    const values: Promise<SqlPrimitive[]>[] = [];
    for await (const { cells } of executePlan({ plan: this.#project, context }).rows())
      values.push(Promise.all(this.#names.map((name) => cells[name]!())));
    return await Promise.all(values);
  }
}

const GIVEN = "given";

/** Rows in memory as a table of the SQL engine. */
export function tableOf(rows: readonly AsyncRow[]): AsyncDataSource {
  const given = async function* () {
    yield* rows;
  };
  return { columns: [], scan: () => ({ appliedWhere: false, appliedLimitOffset: false, rows: given }) };
}
