/** Parses a statement: one SELECT with what may stand around it, SHOW TABLES, SHOW COLUMNS, or DESCRIBE. */
import { SqlError } from "../../engine/ports/sql.ts";
import { ExpressionParser } from "./parse-expression.ts";
import type { Expr, From, Join, OutputItem, Query, Select, Statement } from "./syntax.ts";

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
      this.checkLength(length, SETS_MAX);
    }
  }

  #intersection(): Query | Query["body"] {
    let left: Query | Query["body"] = this.#operand();
    for (let length = 1; this.words("INTERSECT"); length++) {
      const isAll = this.#isAll();
      left = { type: "intersect", isAll, left: queryOf(left), right: queryOf(this.#operand()) };
      this.checkLength(length, SETS_MAX);
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
