/** Runs SQL statements over Stepwell's tables with the squirreling engine (ADR 0013). */
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  AsyncDataSource,
  AsyncRow,
  ExprNode,
  QueryPlan,
  QueryResults,
  SqlPrimitive,
  Statement,
} from "squirreling";
import { executePlan, parseSql, planSql } from "squirreling";

import {
  SqlError,
  type Sql,
  type SqlAnswer,
  type SqlCells,
  type SqlRow,
  type SqlRows,
  type SqlTable,
} from "../../engine/ports/sql.ts";
import { inDialect } from "./dialect.ts";
import { withoutStandIn } from "./inherited-names.ts";
import { functionsAt } from "./functions.ts";
import { NOTHING_EQUALS } from "./optional-side.ts";
import { ONE_ROW_TABLE } from "./sources.ts";
import { type Preparation, Readings } from "./preparation.ts";
import { prepare, unknownTable } from "./prepare.ts";
import type { Brought, Source } from "./scope.ts";
import { StatementSize } from "./statement-size.ts";
import { StepLimit } from "./step-limit.ts";
import { streamedPlan } from "./streamed-plan.ts";
import { withTruths } from "./truths.ts";
import { cellOf, engineValue } from "./values.ts";
import { wholeAnswer, withinLimits } from "./whole-answer.ts";

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

/** The number of rows whose cells are evaluated together, so that the reads of these cells run at the same time. */
const TOGETHER = 16;
/** After this many rows the loop yields the thread, which all other work shares. */
const ROWS_PER_TURN = 500;

export class SquirrelingSql implements Sql {
  readonly #nowMs: () => number;
  readonly #limits: SqlLimits;

  constructor(nowMs: () => number, limits: SqlLimits = SQL_LIMITS) {
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  async run(statement: string, tables: readonly SqlTable[]): Promise<SqlAnswer> {
    return await wholeAnswer(await this.stream(statement, tables), this.#limits);
  }

  /** Like `run`, but evaluates the rows while the caller takes them, and applies no limits of the answer. */
  async stream(statement: string, tables: readonly SqlTable[]): Promise<SqlRows> {
    const run = new Run(tables, this.#nowMs(), this.#limits);
    return await run.answer(run.read(statement));
  }
}

class Run {
  readonly #functions;
  readonly #limits: SqlLimits;
  readonly #steps: StepLimit;
  readonly #preparation: Preparation;
  /** The text that the SQL engine parsed. */
  #text = "";
  #rowsRead = 0;

  constructor(tables: readonly SqlTable[], nowMs: number, limits: SqlLimits) {
    this.#limits = limits;
    this.#steps = new StepLimit(limits.stepsMax);
    const sets: Set<string>[] = [];
    this.#functions = functionsAt(nowMs, sets);
    this.#preparation = {
      tables: new Map([...tables, ONE_ROW_TABLE].map((table) => [table.shape.name, table])),
      sources: new Map(),
      readings: new Readings(),
      sets,
      scalarTypes: new WeakMap(),
      size: new StatementSize(),
      compounds: new Set(),
      functions: this.#functions,
      written: ({ positionStart, positionEnd }) => this.#text.slice(positionStart, positionEnd),
      evaluate: (inner) => this.#list(inner),
    };
  }

  read(statement: string): Statement {
    if (statement.length > this.#limits.statementMaxLength)
      throw new SqlError("refused", `a statement has at most ${this.#limits.statementMaxLength} letters`);
    return spoken("syntax", () => {
      const { text, truths, described } = inDialect(statement);
      if (described !== undefined && !this.#preparation.tables.has(described))
        throw unknownTable(described, this.#preparation);
      this.#text = text;
      return withTruths(parseSql({ query: text, functions: this.#functions }), truths);
    });
  }

  async answer(statement: Statement): Promise<SqlRows> {
    const types = await prepare(statement, this.#preparation).catch((error: unknown) => {
      throw told(error);
    });
    const { columns, groups } = this.#execute(statement);
    const typed = columns.map((name) => ({
      name: withoutStandIn(name),
      type: types.get(name) ?? ("unknown" as const),
    }));
    const isTyped = this.#preparation.compounds.size === 0 && typed.every(({ type }) => type !== "unknown");
    const cells = async function* (): AsyncGenerator<readonly SqlCells[]> {
      for await (const group of groups)
        yield group.map((row) => row.map((value, at) => cellOf(value, typed[at]!.type)));
    };
    return { columns: typed, isTyped, groups: cells() };
  }

  #execute(statement: Statement) {
    const sources = [...this.#preparation.sources.values()];
    const tables = Object.fromEntries(sources.map((source) => [source.key, this.#dataSource(source)]));
    const results = spoken("unknown", () => this.#results(statement, tables));
    return { columns: results.columns, groups: this.#groups(results) };
  }

  /** Completes a few rows at a time. @throws SqlError */
  async *#groups(results: QueryResults): AsyncGenerator<SqlPrimitive[][]> {
    const { columns } = results;
    const finished = (group: readonly AsyncRow[]): Promise<SqlPrimitive[][]> =>
      Promise.all(group.map((row) => Promise.all(columns.map((name) => row.cells[name]!()))));
    let group: AsyncRow[] = [];
    try {
      for await (const row of results.rows()) {
        if (group.push(row) < TOGETHER) continue;
        yield await finished(group);
        group = [];
      }
      if (group.length > 0) yield await finished(group);
    } catch (error) {
      throw told(error);
    }
    this.#steps.check();
  }

  #results(statement: Statement, tables: Record<string, AsyncDataSource>): QueryResults {
    const ctePlans = new Map<string, QueryPlan>();
    const cteColumns = new Map<string, string[]>();
    const functions = this.#functions;
    const scope = aliasesIn(statement);
    const context = { tables, functions, signal: this.#steps.signal, ctePlans, cteColumns, ...(scope && { scope }) };
    const plan = planSql({ query: statement, functions, tables, ctePlans, cteColumns });
    return executePlan({ plan: streamedPlan(plan, context), context });
  }

  /** The values of an independent inner statement; undefined for a dependent one. @throws SqlError if they exceed a limit */
  async #list(inner: Statement): Promise<readonly ExprNode[] | undefined> {
    const copy = structuredClone(inner);
    try {
      await prepare(copy, this.#preparation);
      const { positionStart, positionEnd } = inner;
      const values: ExprNode[] = [];
      for await (const group of withinLimits(this.#execute(copy).groups, this.#limits))
        for (const [value] of group) values.push({ type: "literal", value: value ?? null, positionStart, positionEnd });
      return values;
    } catch (error) {
      // The inner statement names columns of the outer one: the SQL engine runs it for each row.
      if (error instanceof SqlError && error.kind === "unknown") return undefined;
      throw error;
    }
  }

  #dataSource(source: Source): AsyncDataSource {
    const { table, narrowing, order, isOptional } = source;
    const all = table.shape.columns.map(({ name }) => name);
    const types = new Map(table.shape.columns.map(({ name, type }) => [name, type]));
    return {
      columns: all,
      scan: ({ columns = all }) => ({
        appliedWhere: false,
        appliedLimitOffset: false,
        rows: () => {
          const rows = table.scan({ narrowing, columns, ...(order && { order }) });
          return lazyRows(this.#paced(rows), columns, types, isOptional);
        },
      }),
    };
  }

  /** Counts the rows of all scans of one statement, so that many small scans also yield the thread. */
  async *#paced(rows: AsyncIterable<SqlRow>): AsyncGenerator<SqlRow> {
    for await (const row of rows) {
      if (++this.#rowsRead % ROWS_PER_TURN === 0) await nextTurn();
      yield row;
    }
  }
}

async function* lazyRows(
  rows: AsyncIterable<SqlRow>,
  columns: string[],
  types: Brought["types"],
  isOptional: boolean,
): AsyncGenerator<AsyncRow> {
  let given = 0;
  for await (const row of rows) {
    given += 1;
    const cells: AsyncRow["cells"] = {};
    for (const name of columns) cells[name] = async () => engineValue(await row.cell(name), types.get(name) ?? "text");
    yield { columns, cells };
  }
  // The SQL engine learns the columns of a join's side from the rows of this side, so an empty optional side gets one row.
  // This row equals no other, so it is not in the result.
  if (given === 0 && isOptional)
    yield { columns, cells: Object.fromEntries(columns.map((name) => [name, async () => NOTHING_EQUALS])) };
}

/** The names of the tables of a statement, for the statements inside its expressions. */
function aliasesIn(statement: Statement): string[] | undefined {
  if (statement.type === "with") return aliasesIn(statement.query);
  if (statement.type === "compound") return undefined;
  const { from, joins } = statement;
  const first = from.alias ?? (from.type === "table" ? from.table : from.type === "function" ? from.funcName : "table");
  return [first, ...joins.map(({ alias, table }) => alias ?? table)];
}

/** Passes on the messages of the SQL engine's own errors, which name positions and columns. */
function spoken<T>(kind: SqlError["kind"], act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof SqlError || !(error instanceof Error)) throw error;
    throw isUnknownName(error)
      ? new SqlError("unknown", withoutStandIn(error.message))
      : new SqlError(kind === "unknown" ? "syntax" : kind, withoutStandIn(error.message));
  }
}

/** While rows are read, the SQL engine's own errors are about names or arguments; all others are defects of Stepwell. */
function told(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqlError) return error;
  if (isUnknownName(error)) return new SqlError("unknown", withoutStandIn(error.message));
  return ENGINE_ERRORS.test(error.name) ? new SqlError("syntax", withoutStandIn(error.message)) : error;
}

const ENGINE_ERRORS = /^(ParseError|ExecutionError|ArgValueError|ArgCountError|CastError|SyntaxError|RangeError)$/;

function isUnknownName({ name }: Error): boolean {
  return /(Table|Column)NotFound/.test(name);
}
