/** Runs SQL statements over Stepwell's tables (ADR 0013, ADR 0038). */
import {
  type Sql,
  type SqlAnswer,
  type SqlCells,
  SqlError,
  type SqlRows,
  type SqlTable,
} from "../../engine/ports/sql.ts";
import { SQL_LIMITS, type SqlLimits, StepLimit, wholeAnswer } from "./limits.ts";
import { parse } from "./parse.ts";
import type { Plan } from "./plan.ts";
import { finishedGroups, Planner, unknownTable } from "./planner.ts";

import { cellOf, type Type } from "./values.ts";

export class SqlEngine implements Sql {
  readonly #nowMs: () => number;
  readonly #limits: SqlLimits;

  constructor(nowMs: () => number, limits: SqlLimits = SQL_LIMITS) {
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  async run(statement: string, tables: readonly SqlTable[]): Promise<SqlAnswer> {
    return await wholeAnswer(this.stream(statement, tables), this.#limits);
  }

  /** Like `run`, but evaluates the rows while the caller takes them, and applies no limits of the answer. @throws SqlError */
  stream(statement: string, tables: readonly SqlTable[]): SqlRows {
    const plan = withinStack(() => this.#plan(statement, tables));
    const columns = plan.columns.map(({ name, type }) => ({ name, type: type === "null" ? ("text" as const) : type }));
    return {
      columns,
      groups: cellGroups(
        plan,
        columns.map(({ type }) => type),
      ),
    };
  }

  #plan(statement: string, all: readonly SqlTable[]): Plan {
    const { statementMaxLength, stepsMax } = this.#limits;
    if (statement.length > statementMaxLength)
      throw new SqlError("refused", `a statement has at most ${statementMaxLength} letters`);
    const { query, described } = parse(statement);
    const tables = new Map(all.map((table) => [table.shape.name, table]));
    if (described !== undefined && !tables.has(described)) throw unknownTable(described, tables);
    const steps = new StepLimit(stepsMax);
    const plan = new Planner({ tables, nowMs: this.#nowMs(), steps, limits: this.#limits }).plan(query);
    for (const at of plan.columns.keys()) plan.need(at);
    return plan;
  }
}

async function* cellGroups(plan: Plan, types: readonly Type[]): AsyncGenerator<readonly SqlCells[]> {
  for await (const group of finishedGroups(plan))
    yield group.map((row) => row.map((value, at) => cellOf(value, types[at]!)));
}

/** The levels of a statement are limited, but a chain of many operators may still be too deep for the stack. */
function withinStack<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw new SqlError("refused", "the statement is nested too deeply");
    throw error;
  }
}
