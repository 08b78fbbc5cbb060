/** The state of a statement's preparation, which all of its inner statements share. */
import type { ExprNode, SelectStatement, Statement, UserDefinedFunction, WithStatement } from "squirreling";
import type { ColumnType } from "../../core/query/table-shape.ts";
import { SqlError, type SqlTable } from "../../engine/ports/sql.ts";
import type { Brought, Source } from "./scope.ts";
import type { StatementSize } from "./statement-size.ts";

/** The state of a statement's preparation. */
export interface Preparation {
  readonly tables: ReadonlyMap<string, SqlTable>;
  /** The sources that the statement reads, by key. */
  readonly sources: Map<string, Source>;
  readonly readings: Readings;
  readonly functions: Readonly<Record<string, UserDefinedFunction>>;
  /** Long lists as sets, for lookups in place of comparisons with each value. */
  readonly sets: Set<string>[];
  /** The type of the first column of each prepared SELECT. */
  readonly scalarTypes: WeakMap<SelectStatement, ColumnType | undefined>;
  readonly size: StatementSize;
  /** The statements that combine two statements, such as a UNION. The columns of the two statements may differ in their types. */
  readonly compounds: Set<Statement>;
  /** Returns the source text of an expression: a part of the text that the SQL engine parsed. */
  readonly written: (expr: ExprNode) => string;
  /** Runs an independent inner statement. @returns undefined if it depends on the outer one */
  evaluate(statement: Statement): Promise<readonly ExprNode[] | undefined>;
}

/** A statement that a WITH names. */
export interface Named {
  readonly types: Brought["types"];
  /** The unprepared definition of this statement, after the definitions of the names that it may mention. */
  readonly definitions: WithStatement["ctes"];
  /** True once a LEFT JOIN joins this statement, which then needs `withNothing`. */
  isOptional: boolean;
}

export type Names = ReadonlyMap<string, Named>;

/** If each of many definitions mentions the previous one twice, the readings grow exponentially; this limit stops them. */
const READINGS_MAX = 1000;

/** Counts how often tables will be read: each mention of a name reads it again. */
export class Readings {
  #count = 0;
  readonly #within = new Map<unknown, number>();

  /** @param types the types object of a named statement, which identifies it; undefined for a table */
  mention(types?: Brought["types"]): void {
    this.#count += (types && this.#within.get(types)) ?? 1;
    if (this.#count > READINGS_MAX)
      throw new SqlError("refused", `this statement would read tables more than ${READINGS_MAX} times`);
  }

  async define(prepared: () => Promise<Brought["types"]>): Promise<Brought["types"]> {
    const before = this.#count;
    const types = await prepared();
    this.#within.set(types, this.#count - before);
    return types;
  }
}
