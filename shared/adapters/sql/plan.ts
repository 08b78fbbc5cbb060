/** Plans: statements that can run. */
import type { Groups } from "./operators.ts";
import type { Around, Term } from "./terms.ts";
import type { Type } from "./values.ts";

export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
}

export interface Plan {
  readonly columns: readonly OutputColumn[];
  /** Marks the column with this index as one that is read. */
  need(at: number): void;
  /**
   * The rows, whose slots are the columns. A column that no expression names is NULL.
   * @param around the row around a statement that is within an expression
   * @param first the number of rows that may be enough
   */
  rows(around: Around | undefined, first?: number): Groups;
}

export interface Output extends OutputColumn {
  readonly term: Term;
}
