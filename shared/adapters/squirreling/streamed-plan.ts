/**
 * Replaces the steps of a plan that keep all rows by steps that keep few. A filter keeps a group of rows, an aggregate keeps one
 * row and its sums for each key, and a sort under a LIMIT keeps the rows that may be in the answer.
 */
import type { AsyncRow, ExecuteContext, ExprNode, QueryPlan } from "squirreling";
import { executePlan } from "squirreling";
import { Evaluator, tableOf, together } from "./evaluated.ts";
import { foldOf, type Folding } from "./folds.ts";

type Rows = AsyncIterable<AsyncRow>;
type Aggregate = Extract<QueryPlan, { type: "HashAggregate" | "ScalarAggregate" }>;
type Sort = Extract<QueryPlan, { type: "Sort" }>;

/** Once a sort under a LIMIT keeps twice the limit and this many more rows, it drops the rows that cannot be in the answer. */
const SORTED_MORE = 2_000;

/** @param context gets a table for each replaced step */
export function streamedPlan(plan: QueryPlan, context: ExecuteContext): QueryPlan {
  return new Streaming(context).of(plan);
}

class Streaming {
  readonly #context: ExecuteContext;
  /** The replaced plans. All uses of a WITH statement share one plan, so `of` replaces that plan once. */
  readonly #known = new Map<QueryPlan, QueryPlan>();
  #count = 0;

  constructor(context: ExecuteContext) {
    this.#context = context;
  }

  of(plan: QueryPlan): QueryPlan {
    const known = this.#known.get(plan);
    if (known !== undefined) return known;
    const replaced = this.#replaced(plan);
    this.#known.set(plan, replaced);
    return replaced;
  }

  #replaced(plan: QueryPlan): QueryPlan {
    switch (plan.type) {
      case "Scan": {
        const { where, limit, offset, ...hints } = plan.hints;
        if (where === undefined) return plan;
        const filtered = this.#filtered({ ...plan, hints }, where, limit);
        return limit === undefined && offset === undefined ? filtered : limited(filtered, limit, offset);
      }
      case "Count":
        return { ...plan, table: this.#withoutCells(plan.table) };
      case "Filter":
        return this.#filtered(this.of(plan.child), plan.condition);
      case "HashAggregate":
      case "ScalarAggregate":
        return this.#aggregate(plan);
      case "Limit":
        return { ...plan, child: this.of(this.#underLimit(plan.child, plan.limit, plan.offset)) };
      case "Project":
      case "Sort":
      case "Distinct":
      case "Window":
        return { ...plan, child: this.of(plan.child) };
      case "HashJoin":
      case "PositionalJoin":
      case "SetOperation":
        return { ...plan, left: this.of(plan.left), right: this.of(plan.right) };
      case "NestedLoopJoin":
        return { ...plan, left: this.of(plan.left), ...(plan.lateral !== true && { right: this.of(plan.right) }) };
      default:
        return plan;
    }
  }

  /** Turns the result of a step into a table, which the following steps scan. */
  #source(child: QueryPlan, change: (rows: Rows) => Rows, more: readonly string[] = []): QueryPlan {
    const table = `streamed#${this.#count++}`;
    const context = this.#context;
    const run = () => executePlan({ plan: child, context });
    context.tables[table] = {
      columns: [...run().columns, ...more],
      scan: () => ({ appliedWhere: false, appliedLimitOffset: false, rows: () => change(run().rows()) }),
    };
    return { type: "Scan", table, hints: {} };
  }

  /** A count needs the rows, but none of their cells. @returns the name of a table whose scans read no cells */
  #withoutCells(name: string): string {
    const { tables } = this.#context;
    const counted = tables[name]!;
    const table = `streamed#${this.#count++}`;
    tables[table] = { ...counted, scan: (options) => counted.scan({ ...options, columns: [] }) };
    return table;
  }

  /** @param limit the number of rows that the statement needs */
  #filtered(child: QueryPlan, condition: ExprNode, limit?: number): QueryPlan {
    const context = this.#context;
    return this.#source(child, async function* (rows) {
      const evaluator = new Evaluator([condition], context);
      for await (const group of together(rows, context, limit)) {
        const values = await evaluator.of(group);
        for (const [at, row] of group.entries()) if (values[at]![0]) yield row;
      }
    });
  }

  #aggregate(plan: Aggregate): QueryPlan {
    const folding = foldOf(plan);
    const child = this.of(plan.child);
    if (folding === undefined) return { ...plan, child };
    const context = this.#context;
    const names = folding.columns.map(({ alias }) => alias);
    let folded = this.#source(child, (rows) => foldedRows(rows, folding, context), names);
    if (folding.having !== undefined) folded = this.#filtered(folded, folding.having);
    if (folding.orderBy.length > 0) folded = { type: "Sort", orderBy: [...folding.orderBy], child: folded };
    const columns = folding.columns.map(({ expr, alias }) => ({
      type: "derived" as const,
      expr: { type: "identifier" as const, name: alias, ...positionOf(expr) },
      alias,
      ...positionOf(expr),
    }));
    return { type: "Project", columns, child: folded };
  }

  /**
   * Lets a sort under a LIMIT read only the rows that may be in the answer. In a plan, the sort is below the projection of its
   * SELECT.
   */
  #underLimit(plan: QueryPlan, limit: number | undefined, offset = 0): QueryPlan {
    if (limit === undefined) return plan;
    if (plan.type === "Project") return { ...plan, child: this.#underLimit(plan.child, limit, offset) };
    if (plan.type !== "Sort") return plan;
    return { ...plan, child: this.#source(this.of(plan.child), (rows) => this.#best(rows, plan, limit + offset)) };
  }

  async *#best(rows: Rows, { orderBy }: Sort, count: number): AsyncGenerator<AsyncRow> {
    let kept: AsyncRow[] = [];
    const sort: QueryPlan = { type: "Sort", orderBy, child: { type: "Scan", table: "kept", hints: {} } };
    for await (const row of rows) {
      if (this.#context.signal?.aborted === true) return;
      if (kept.push(row) < 2 * count + SORTED_MORE) continue;
      const context = { ...this.#context, tables: { ...this.#context.tables, kept: tableOf(kept) } };
      const best: AsyncRow[] = [];
      for await (const one of executePlan({ plan: limited(sort, count), context }).rows()) best.push(one);
      kept = best;
    }
    yield* kept;
  }
}

async function* foldedRows(rows: Rows, folding: Folding, context: ExecuteContext): AsyncGenerator<AsyncRow> {
  const evaluator = new Evaluator(folding.inputs, context);
  const groups = folding.groups();
  for await (const group of together(rows, context)) {
    const values = await evaluator.of(group);
    for (const [at, row] of group.entries()) groups.add(row, values[at]!);
  }
  const outputs = folding.columns.map(({ expr, alias }) => ({ alias, output: new Evaluator([expr], context) }));
  for (const row of groups.rows()) {
    const cells = { ...row.cells };
    for (const { alias, output } of outputs) cells[alias] = async () => (await output.of([row]))[0]![0]!;
    yield { columns: [...row.columns, ...folding.columns.map(({ alias }) => alias)], cells };
  }
}

function limited(child: QueryPlan, limit: number | undefined, offset?: number): QueryPlan {
  return { type: "Limit", child, ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) };
}

function positionOf({ positionStart, positionEnd }: ExprNode): { positionStart: number; positionEnd: number } {
  return { positionStart, positionEnd };
}
