/** Parses a statement: one SELECT with what may stand around it, SHOW TABLES, SHOW COLUMNS, or DESCRIBE. */
import { SqlError } from "../../engine/ports/sql.ts";
import type {
  Expr,
  From,
  Join,
  OutputItem,
  Query,
  Select,
  Statement,
  Arithmetic,
  Comparison,
  Call,
  CastType,
  Literal,
  SortItem,
} from "./syntax.ts";
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

/** Parses the operands of expressions: literals, names, calls, CASE, casts and what stands in parentheses. */
abstract class OperandParser extends TokenReader {
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

  /** An operand whose first word is a keyword. */
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
function call(name: string, ...args: readonly Expr[]): Expr {
  return { type: "call", name, args, isStar: false, isDistinct: false, orderBy: [] };
}

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

/** Parses expressions. Each method of a level of precedence calls that of the next higher one. */
abstract class ExpressionParser extends OperandParser {
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

  /** Parses IS, IN, BETWEEN or LIKE after `left`. */
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

/** @throws SqlError of the kind `syntax`, or `refused` for a statement that is nested too deeply */
export function parse(statement: string): Statement {
  return new Parser(statement).statement();
}

/** How many of UNION, INTERSECT and EXCEPT may follow each other. */
const SETS_MAX = 200;

const JOINS: readonly (readonly [Join["kind"], readonly string[]])[] = [
  ["inner", ["JOIN"]],
  ["inner", ["INNER", "JOIN"]],
  ["left", ["LEFT", "JOIN"]],
  ["left", ["LEFT", "OUTER", "JOIN"]],
  ["right", ["RIGHT", "JOIN"]],
  ["right", ["RIGHT", "OUTER", "JOIN"]],
  ["full", ["FULL", "JOIN"]],
  ["full", ["FULL", "OUTER", "JOIN"]],
  ["comma", ["CROSS", "JOIN"]],
];

class Parser extends ExpressionParser {
  statement(): Statement {
    const command = this.#command();
    const statement = command ?? { query: this.query() };
    this.sign(";");
    if (this.token.kind !== "end") throw this.unexpected("the end of the statement");
    return statement;
  }

  #command(): Statement | undefined {
    if (this.words("SHOW", "TABLES"))
      return parse("SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables");
    const isColumns = this.words("SHOW", "COLUMNS", "FROM") || this.words("SHOW", "COLUMNS", "IN");
    if (!isColumns && !this.words("DESCRIBE") && !this.words("DESC")) return undefined;
    if (!isColumns) this.words("TABLE");
    const described = this.name("the name of a table").toLowerCase();
    return {
      described,
      ...parse(
        `SELECT column_name, data_type, is_nullable FROM information_schema.columns
         WHERE table_name = '${described.replaceAll("'", "")}' ORDER BY ordinal_position`,
      ),
    };
  }

  /** A whole query, up to the end of the statement or to the parenthesis that closes it. */
  override query(): Query {
    return this.nested(() => {
      const names = this.words("WITH") ? this.listOf(() => this.#named()) : [];
      const body = this.#union();
      const orderBy = this.words("ORDER", "BY") ? this.listOf(() => this.sortItem()) : [];
      let [limit, offset]: (number | undefined)[] = [];
      for (;;) {
        if (limit === undefined && this.words("LIMIT")) limit = this.#count();
        else if (offset === undefined && this.words("OFFSET")) offset = this.#count();
        else break;
      }
      // Parentheses around a query without anything beside them change nothing.
      const isPlain = names.length === 0 && orderBy.length === 0 && limit === undefined && offset === undefined;
      if (isPlain) return queryOf(body);
      return { names, body: bodyOf(body), orderBy, ...(limit !== undefined && { limit }), offset: offset ?? 0 };
    });
  }

  #named(): Query["names"][number] {
    const name = this.name("a name").toLowerCase();
    this.expectWords("AS");
    return { name, query: this.inParentheses(() => this.query()) };
  }

  #count(): number {
    const { text } = this.expectKind("number", "a number of rows");
    if (!/^\d+$/.test(text)) throw new SqlError("syntax", `'${text}' is no number of rows`);
    return Number(text);
  }

  #union(): Query | Query["body"] {
    let left: Query | Query["body"] = this.#intersection();
    for (let length = 1; ; length++) {
      const type = this.words("UNION") ? "union" : this.words("EXCEPT") ? "except" : undefined;
      if (type === undefined) return left;
      const isAll = this.#isAll();
      left = { type, isAll, left: queryOf(left), right: queryOf(this.#intersection()) };
      this.checkLength(length, SETS_MAX, "UNION, INTERSECT or EXCEPT");
    }
  }

  #intersection(): Query | Query["body"] {
    let left: Query | Query["body"] = this.#operand();
    for (let length = 1; this.words("INTERSECT"); length++) {
      const isAll = this.#isAll();
      left = { type: "intersect", isAll, left: queryOf(left), right: queryOf(this.#operand()) };
      this.checkLength(length, SETS_MAX, "UNION, INTERSECT or EXCEPT");
    }
    return left;
  }

  #isAll(): boolean {
    const isAll = this.words("ALL");
    if (!isAll) this.words("DISTINCT");
    return isAll;
  }

  #operand(): Query | Select {
    if (this.isSign("(")) return this.inParentheses(() => this.query());
    this.expectWords("SELECT");
    return this.#select();
  }

  #select(): Select {
    const isDistinct = this.words("DISTINCT");
    if (!isDistinct) this.words("ALL");
    const columns = this.listOf(() => this.#output());
    const [first, ...joins] = this.words("FROM") ? this.#sources() : [];
    const where = this.words("WHERE") ? this.expression() : undefined;
    const groupBy = this.words("GROUP", "BY") ? this.listOf(() => this.expression()) : [];
    const having = this.words("HAVING") ? this.expression() : undefined;
    return {
      type: "select",
      isDistinct,
      columns,
      ...(first && { from: first.from }),
      joins,
      ...(where && { where }),
      groupBy,
      ...(having && { having }),
    };
  }

  #output(): OutputItem {
    if (this.sign("*")) return { type: "star" };
    if (this.isName() && this.isSign(".", 1) && this.isSign("*", 2)) {
      const table = this.name("a table");
      this.sign(".");
      this.sign("*");
      return { type: "star", table };
    }
    const expr = this.expression();
    const alias = this.#alias();
    return { type: "output", expr, ...(alias !== undefined && { alias }) };
  }

  #alias(): string | undefined {
    if (this.words("AS")) return this.anyName("an alias");
    return this.isName() ? this.name("an alias") : undefined;
  }

  /** The table after FROM and those that are joined with it. The first one has no condition. */
  #sources(): Join[] {
    const joins: Join[] = [{ kind: "comma", from: this.#source() }];
    for (;;) {
      const [kind] = this.sign(",") ? ["comma" as const] : (JOINS.find(([, words]) => this.words(...words)) ?? []);
      if (kind === undefined) return joins;
      const from = this.#source();
      let on: Expr | undefined;
      if (kind !== "comma" && this.words("ON")) on = this.expression();
      joins.push({ kind, from, ...(on && { on }) });
    }
  }

  #source(): From {
    if (this.isSign("(")) {
      const query = this.inParentheses(() => this.query());
      return { type: "query", query, alias: this.#alias() ?? aliasWithin(query) };
    }
    const first = this.anyName("a table");
    if (this.isSign("(")) throw new SqlError("syntax", `the table function ${first} is not here`);
    const schema = first.toLowerCase();
    const isQualified = (schema === "public" || schema === "information_schema") && this.sign(".");
    const table = isQualified ? this.anyName("a table") : first;
    const name = isQualified && schema !== "public" ? `${schema}.${table}` : table;
    return { type: "table", name, alias: this.#alias() ?? table };
  }
}

/** Clients expect that a subquery without a name takes the name of its table. */
function aliasWithin({ body }: Query): string {
  return body.type === "select" && body.joins.length === 0 && body.from?.type === "table"
    ? body.from.alias
    : "subquery";
}

function queryOf(body: Query | Query["body"]): Query {
  return "body" in body ? body : { names: [], body, orderBy: [], offset: 0 };
}

/** A query in parentheses, of which something outside of the parentheses sorts or limits the rows, becomes a subquery. */
function bodyOf(body: Query | Query["body"]): Query["body"] {
  if (!("body" in body)) return body;
  const isPlain = body.names.length + body.orderBy.length + body.offset === 0 && body.limit === undefined;
  if (isPlain) return body.body;
  const from: From = { type: "query", query: body, alias: "subquery" };
  return { type: "select", isDistinct: false, columns: [{ type: "star" }], from, joins: [], groupBy: [] };
}
