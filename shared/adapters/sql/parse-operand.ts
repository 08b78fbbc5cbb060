/** Parses the operands of expressions: literals, names, calls, CASE, casts and what stands in parentheses. */
import { SqlError } from "../../engine/ports/sql.ts";
import type { Call, CastType, Expr, Literal, Query, SortItem } from "./syntax.ts";
import { TokenReader } from "./tokens.ts";

const CASTS: readonly (readonly [RegExp, CastType])[] = [
  [/^(TEXT|VARCHAR|CHAR|STRING|UTF8)$/, "text"],
  [/^(SMALLINT|INT|INTEGER|BIGINT|INT[248])$/, "integer"],
  [/^(REAL|FLOAT|DOUBLE|NUMERIC|DECIMAL|FLOAT[48])$/, "number"],
  [/^(BOOL|BOOLEAN)$/, "boolean"],
  [/^(TIMESTAMP|TIMESTAMPTZ)$/, "moment"],
  [/^INTERVAL$/, "duration"],
];

const INTERVAL_UNITS = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"];
/** Functions that are called without parentheses. */
const WITHOUT_PARENTHESES = new Set(["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]);
/** An integer with this many digits may not be exact as a number of JavaScript. */
const LONG_INTEGER = /^\d{16,}$/;

export abstract class OperandParser extends TokenReader {
  abstract query(): Query;
  abstract expression(): Expr;
  /** An operand with the signs and operators that bind most closely to it. */
  abstract signed(): Expr;

  operand(): Expr {
    const { kind, text } = this.token;
    if (kind === "text") return this.#taken({ type: "literal", value: text });
    if (kind === "number")
      return this.#taken({ type: "literal", value: LONG_INTEGER.test(text) ? BigInt(text) : Number(text), text });
    if (this.isSign("("))
      return this.inParentheses(() =>
        this.startsQuery() ? { type: "subquery", query: this.query() } : this.expression(),
      );
    if (this.isSign("[")) return this.#array();
    if (kind === "word") {
      const special = this.#special(text.toUpperCase());
      if (special !== undefined) return special;
    }
    if (kind === "word" && (this.isSign("(", 1) || WITHOUT_PARENTHESES.has(text.toUpperCase()))) return this.#call();
    if (!this.isName()) throw this.unexpected("an expression");
    return this.#column();
  }

  #taken(expr: Expr): Expr {
    this.skip();
    return expr;
  }

  /** What begins with a word that has a meaning of its own. */
  #special(word: string): Expr | undefined {
    if (word === "TRUE" || word === "FALSE") return this.#taken({ type: "literal", value: word === "TRUE" });
    if (word === "NULL") return this.#taken({ type: "literal", value: null });
    if (this.words("CASE")) return this.nested(() => this.#case());
    if (this.words("INTERVAL")) return this.#interval();
    if (word === "TIMESTAMP" && this.isNext("text")) {
      this.skip();
      return { type: "cast", of: this.operand(), to: "moment" };
    }
    if (word === "ARRAY" && this.isSign("[", 1)) {
      this.skip();
      return this.#array();
    }
    if (!this.isSign("(", 1)) return undefined;
    if (this.words("EXISTS")) return { type: "exists", query: this.inParentheses(() => this.query()) };
    if (this.words("CAST"))
      return this.inParentheses(() => {
        const of = this.expression();
        this.expectWords("AS");
        return { type: "cast", of, to: this.castType() };
      });
    if (this.words("EXTRACT"))
      return this.inParentheses(() => {
        const part: Expr = { type: "literal", value: this.anyName("a part of a moment") };
        this.expectWords("FROM");
        return call("EXTRACT", part, this.expression());
      });
    return undefined;
  }

  #case(): Expr {
    const of = this.isWord("WHEN") ? undefined : this.expression();
    const whens: (readonly [Expr, Expr])[] = [];
    while (this.words("WHEN")) {
      const when = this.expression();
      this.expectWords("THEN");
      whens.push([when, this.expression()]);
    }
    if (whens.length === 0) throw this.unexpected("WHEN");
    const otherwise = this.words("ELSE") ? this.expression() : undefined;
    this.expectWords("END");
    return { type: "case", ...(of && { of }), whens, ...(otherwise && { otherwise }) };
  }

  /** `interval '1 hour 30 minutes'`, `interval '1' hour` and `interval -1 hour`. */
  #interval(): Expr {
    const sign = this.sign("-") ? "-" : "";
    const { kind, text } = this.token;
    if (kind !== "text" && kind !== "number") throw this.unexpected("an interval");
    this.skip();
    const isUnit = INTERVAL_UNITS.some((unit) => this.isWord(unit) || this.isWord(`${unit}S`));
    return { type: "interval", text: sign + text + (isUnit ? ` ${this.anyName("a unit")}` : "") };
  }

  #array(): Expr {
    this.expectSign("[");
    const values: (string | number)[] = [];
    while (!this.isSign("]")) {
      const element = this.signed();
      const value: Literal = element.type === "literal" ? element.value : null;
      if (typeof value !== "string" && typeof value !== "number")
        throw new SqlError("syntax", "an array has texts and numbers as its elements");
      values.push(value);
      if (!this.sign(",")) break;
    }
    this.expectSign("]");
    const areNumbers = values.every((value) => typeof value === "number");
    return { type: "literal", value: areNumbers ? values : values.map(String) };
  }

  #column(): Expr {
    const names = [this.name("a column")];
    while (this.sign(".")) names.push(this.anyName("a column"));
    const [name, table] = names.toReversed();
    return { type: "column", name: name!, ...(table !== undefined && { table }) };
  }

  #call(): Expr {
    const name = this.token.text.toUpperCase();
    this.skip();
    const plain: Call = { type: "call", name, args: [], isStar: false, isDistinct: false, orderBy: [] };
    if (!this.isSign("(")) return plain;
    return this.nested(() => {
      const inner = this.inParentheses(() => this.#arguments(plain));
      const args = this.words("WITHIN", "GROUP") ? [...inner.args, this.#withinGroup()] : inner.args;
      const filter = this.words("FILTER") ? this.inParentheses(() => this.#where()) : undefined;
      const over = this.words("OVER") ? this.inParentheses(() => this.#window()) : undefined;
      return { ...inner, args, ...(filter && { filter }), ...(over && { over }) };
    });
  }

  #arguments(plain: Call): Call {
    if (this.isSign(")")) return plain;
    if (this.sign("*")) return { ...plain, isStar: true };
    const isDistinct = this.words("DISTINCT");
    if (!isDistinct) this.words("ALL");
    const args = this.listOf(() => this.expression());
    const orderBy = this.words("ORDER", "BY") ? this.listOf(() => this.sortItem()) : [];
    return { ...plain, args, isDistinct, orderBy };
  }

  #withinGroup(): Expr {
    return this.inParentheses(() => {
      this.expectWords("ORDER", "BY");
      return this.expression();
    });
  }

  #where(): Expr {
    this.expectWords("WHERE");
    return this.expression();
  }

  #window(): NonNullable<Call["over"]> {
    const partitionBy = this.words("PARTITION", "BY") ? this.listOf(() => this.expression()) : [];
    const orderBy = this.words("ORDER", "BY") ? this.listOf(() => this.sortItem()) : [];
    return { partitionBy, orderBy };
  }

  castType(): CastType {
    const word = this.anyName("a type");
    const type = CASTS.find(([pattern]) => pattern.test(word.toUpperCase()))?.[1];
    if (type === undefined)
      throw new SqlError("syntax", `'${word}' is no type here; there are text, bigint, double, boolean and timestamp`);
    if (type === "number") this.words("PRECISION");
    return type;
  }

  sortItem(): SortItem {
    const expr = this.expression();
    const isDescending = this.words("DESC");
    if (!isDescending) this.words("ASC");
    // As in PostgreSQL and DataFusion, a NULL is larger than each value.
    const areNullsFirst = this.words("NULLS", "FIRST") || (!this.words("NULLS", "LAST") && isDescending);
    return { expr, isDescending, areNullsFirst };
  }

  startsQuery(): boolean {
    return this.isWord("SELECT") || this.isWord("WITH");
  }
}

/** A call of a function with values. */
export function call(name: string, ...args: readonly Expr[]): Expr {
  return { type: "call", name, args, isStar: false, isDistinct: false, orderBy: [] };
}
