/**
 * Limits the number of parts of a rewritten statement. Three-valued logic repeats the operands of a comparison, so a statement
 * can become much larger than its text.
 */
import type { ExprNode } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { withParts } from "./expressions.ts";

/** Even the longest statement has fewer parts before it is rewritten. */
const PARTS_MAX = 200_000;
/** A literal counts as a tenth of a part: the list of an IN may have many values, and each of them costs little. */
const LITERAL_PARTS = 0.1;

export class StatementSize {
  #total = 0;
  /** An expression that occurs many times is one object, which is counted at each place and visited once. */
  readonly #parts = new WeakMap<ExprNode, number>();

  /** @throws SqlError if all added expressions together have too many parts */
  readonly add = (expr: ExprNode): ExprNode => {
    this.#total += this.#partsOf(expr);
    if (this.#total > PARTS_MAX)
      throw new SqlError("refused", "this statement nests comparisons of comparisons too deeply");
    return expr;
  };

  #partsOf(expr: ExprNode): number {
    const known = this.#parts.get(expr);
    if (known !== undefined) return known;
    let sum = expr.type === "literal" ? LITERAL_PARTS : 1;
    withParts(expr, (part) => {
      sum += this.#partsOf(part);
      return part;
    });
    this.#parts.set(expr, sum);
    return sum;
  }
}
