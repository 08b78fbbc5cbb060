/** Parses expressions. Each method of a level of precedence calls that of the next higher one. */
import { SqlError } from "../../engine/ports/sql.ts";
import { call, OperandParser } from "./parse-operand.ts";
import type { Arithmetic, Comparison, Expr } from "./syntax.ts";

/** A statement has at most this many of the operators `->`, `->>`, `||` and `::`. */
const TEXT_OPERATORS_MAX = 500;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "=": "=",
  "==": "=",
  "<>": "<>",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

export abstract class ExpressionParser extends OperandParser {
  #textOperators = 0;

  override expression(): Expr {
    return this.nested(() => this.#or());
  }

  #or(): Expr {
    return this.#joined("or", "OR", () => this.#joined("and", "AND", () => this.#not()));
  }

  #joined(type: "and" | "or", word: string, part: () => Expr): Expr {
    const first = part();
    if (!this.isWord(word)) return first;
    const parts = [first];
    while (this.words(word)) parts.push(part());
    return { type, parts };
  }

  #not(): Expr {
    if (this.words("NOT")) return this.nested(() => ({ type: "not", of: this.#not() }));
    return this.#comparison();
  }

  #comparison(): Expr {
    let left = this.#sum();
    for (let length = 1; ; length++) {
      const op = this.token.kind === "sign" ? COMPARISONS[this.token.text] : undefined;
      const next = op === undefined ? this.#test(left) : this.#compared(left, op);
      if (next === undefined) return left;
      left = next;
      this.checkLength(length);
    }
  }

  #compared(left: Expr, op: Comparison): Expr {
    this.skip();
    if (op !== "=" || !this.words("ANY")) return { type: "comparison", op, left, right: this.#sum() };
    return this.inParentheses<Expr>(() =>
      this.startsQuery()
        ? { type: "in", of: left, list: this.query() }
        : { type: "any", of: left, array: this.expression() },
    );
  }

  /** What follows `left` if it is IS, IN, BETWEEN or LIKE. */
  #test(left: Expr): Expr | undefined {
    if (this.words("IS")) {
      const isNot = this.words("NOT");
      for (const word of ["NULL", "TRUE", "FALSE", "UNKNOWN"] as const)
        if (this.words(word)) return { type: "is", of: left, test: word === "UNKNOWN" ? "NULL" : word, isNot };
      throw this.unexpected("NULL, TRUE, FALSE or UNKNOWN");
    }
    const isNot = this.isWord("NOT") && ["IN", "BETWEEN", "LIKE", "ILIKE"].some((word) => this.isWord(word, 1));
    if (isNot) this.words("NOT");
    const test = this.#positiveTest(left);
    return isNot && test !== undefined ? { type: "not", of: test } : test;
  }

  #positiveTest(of: Expr): Expr | undefined {
    if (this.words("IN"))
      return this.inParentheses(() => ({
        type: "in",
        of,
        list: this.startsQuery() ? this.query() : this.listOf(() => this.expression()),
      }));
    if (this.words("BETWEEN")) {
      const low = this.#sum();
      this.expectWords("AND");
      return { type: "between", of, low, high: this.#sum() };
    }
    for (const word of ["LIKE", "ILIKE"])
      if (this.words(word)) return { type: "like", left: of, pattern: this.#sum(), ignoresCase: word === "ILIKE" };
    return undefined;
  }

  #sum(): Expr {
    return this.#chained(["+", "-"], () => this.#chained(["*", "/", "%"], () => this.#textJoin()));
  }

  #chained(signs: readonly Arithmetic[], part: () => Expr): Expr {
    let left = part();
    for (let length = 1; ; length++) {
      const op = signs.find((sign) => this.sign(sign));
      if (op === undefined) return left;
      left = { type: "arithmetic", op, left, right: part() };
      this.checkLength(length);
    }
  }

  #textJoin(): Expr {
    let left = this.signed();
    while (this.sign("||")) left = call("||", this.#counted(left), this.signed());
    return left;
  }

  override signed(): Expr {
    if (this.sign("-")) return this.nested(() => ({ type: "negative", of: this.signed() }));
    if (this.sign("+")) return this.nested(() => this.signed());
    return this.#withSuffixes(this.operand());
  }

  #withSuffixes(first: Expr): Expr {
    let left = first;
    for (;;) {
      const op = ["->", "->>"].find((sign) => this.sign(sign));
      if (op !== undefined) left = call(op, this.#counted(left), this.#member());
      else if (this.sign("::")) left = { type: "cast", of: this.#counted(left), to: this.castType() };
      else return left;
    }
  }

  /** The right side of `->`, which may be a negative index. */
  #member(): Expr {
    return this.sign("-") ? { type: "negative", of: this.operand() } : this.operand();
  }

  /** @throws SqlError if the statement has too many of these operators */
  #counted(left: Expr): Expr {
    if (++this.#textOperators > TEXT_OPERATORS_MAX)
      throw new SqlError(
        "refused",
        `a statement has at most ${TEXT_OPERATORS_MAX} of the operators ->, ->>, || and ::`,
      );
    return left;
  }
}
