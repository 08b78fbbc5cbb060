/** Plans one SELECT: finds its tables, what its names mean, how its tables are joined and which rows their scans can skip. */
import { SqlError } from "../../engine/ports/sql.ts";
import type { AggregateCall, WindowCall } from "./aggregates.ts";
import { Binder, type InnerQueries } from "./bind.ts";
import { oneRow, Scan, type Feed } from "./feeds.ts";
import {
  distinct,
  filtered,
  grouped,
  inputsOf,
  joined,
  limited,
  sorted,
  windowed,
  type Groups,
  type JoinStep,
  type Running,
} from "./operators.ts";
import type { Output, OutputColumn, Plan } from "./plan.ts";
import { Scope, type Allowed, type Source } from "./scope.ts";
import type { StepLimit } from "./limits.ts";
import type { Expr, From, Join, Query, Select, Literal } from "./syntax.ts";
import { computed, need, type Around, type Row, type Term, type SortTerm } from "./terms.ts";

interface Joining extends Omit<JoinStep, "right" | "slots"> {
  readonly feed: Feed;
}

/** The steps of a SELECT, in the order in which rows take them. */
export class SelectPlan implements Plan {
  readonly #scope: Scope;
  readonly #steps: StepLimit;
  readonly #feeds: readonly Feed[];
  readonly #joins: readonly Joining[];
  /** The conditions of WHERE, each with the only source that it names if its rows can be filtered before they are joined. */
  readonly #conditions: readonly { readonly condition: Term; readonly source: Source | undefined }[];
  readonly #outputs: readonly Output[];
  readonly #needed = new Set<number>();
  readonly #groupBy: readonly Term[];
  readonly #aggregates: AggregateCall[] = [];
  readonly #windows: WindowCall[] = [];
  readonly #having: Term | undefined;
  readonly #orderBy: readonly SortTerm[];
  readonly #query: Pick<Query, "limit" | "offset">;
  readonly #isDistinct: boolean;
  readonly #isGrouped: boolean;

  /** @throws SqlError if the SELECT has no meaning */
  constructor(
    select: Select,
    query: Query,
    outer: Scope | undefined,
    feedOf: (from: From) => Feed,
    inner: InnerQueries,
    steps: StepLimit,
  ) {
    this.#scope = new Scope(outer);
    this.#steps = steps;
    this.#query = query;
    this.#isDistinct = select.isDistinct;
    this.#feeds = [...(select.from ? [select.from] : []), ...select.joins.map(({ from }) => from)].map((from) =>
      feedOf(from),
    );
    this.#scope.sources.push(...this.#feeds.map(({ source }) => source));
    const binder = (allowed: Allowed = {}): Binder => new Binder(this.#scope, inner, allowed);
    const where = select.where && binder().condition(select.where);
    this.#joins = select.joins.map((join, at) => this.#joining(join, at + 1, where, binder()));
    this.#conditions = partsOf(where).map((condition) => ({
      condition,
      source: this.#earlySource(condition, select.joins),
    }));
    for (const feed of this.#feeds) if (feed instanceof Scan) feed.condition = where;

    const results: Allowed = { aggregates: this.#aggregates, windows: this.#windows };
    this.#outputs = outputsOf(select, this.#scope, binder(results));
    const aliases = new Map(this.#outputs.map(({ name, term }) => [name, term]));
    const at = (expr: Expr): Term | undefined => atPosition(expr, this.#outputs);
    this.#groupBy = select.groupBy.map((expr) => at(expr) ?? binder({ aliases }).term(expr));
    this.#having = select.having && binder({ aggregates: this.#aggregates, aliases }).condition(select.having);
    const sorting = binder({ ...results, aliases, areAliasesFirst: true });
    const orderBy = query.orderBy.map((item) => ({ ...item, term: at(item.expr) ?? sorting.term(item.expr) }));
    this.#isGrouped = this.#groupBy.length + this.#aggregates.length > 0 || this.#having !== undefined;
    this.#orderBy = this.#isOrderOfScan(orderBy) ? [] : orderBy;
    this.#needAlways();
  }

  get columns(): readonly OutputColumn[] {
    return this.#outputs;
  }

  need(at: number): void {
    if (this.#needed.has(at)) return;
    this.#needed.add(at);
    need([this.#outputs[at]!.term]);
  }

  #needAlways(): void {
    need(this.#conditions.map(({ condition }) => condition));
    for (const { leftKeys, rightKeys, conditions } of this.#joins) need([...leftKeys, ...rightKeys, ...conditions]);
    need([...this.#groupBy, ...this.#aggregates.flatMap(inputsOf), ...(this.#having ? [this.#having] : [])]);
    for (const { partitionBy, orderBy, args } of this.#windows)
      need([...partitionBy, ...orderBy.map(({ term }) => term), ...args]);
    need(this.#orderBy.map(({ term }) => term));
    if (this.#isDistinct) for (const at of this.#outputs.keys()) this.need(at);
  }

  async *rows(around: Around | undefined, first?: number): Groups {
    const running: Running = { around, steps: this.#steps, width: this.#scope.width };
    const { limit, offset } = this.#query;
    const most = limit === undefined ? undefined : limit + offset;
    const isWhole = this.#isGrouped || this.#windows.length > 0 || this.#isDistinct || this.#orderBy.length > 0;
    let rows = this.#source(running, isWhole ? undefined : most === undefined ? first : Math.min(most, first ?? most));
    rows = filtered(
      rows,
      this.#conditions.flatMap(({ condition, source }) => (source ? [] : [condition])),
      running,
    );
    if (this.#isGrouped) rows = grouped(rows, this.#groupBy, this.#aggregates, running);
    if (this.#having !== undefined) rows = filtered(rows, [this.#having], running);
    if (this.#windows.length > 0) rows = windowed(rows, this.#windows, running);
    if (this.#isDistinct)
      rows = distinct(
        rows,
        this.#outputs.map(({ term }) => term),
        running,
      );
    if (this.#orderBy.length > 0) rows = sorted(rows, this.#orderBy, most, running);
    if (limit !== undefined || offset > 0) rows = limited(rows, limit, offset);
    for await (const group of rows) yield await computed(group, (row) => this.#output(row, around));
  }

  /** The outputs of a row. A cell that is a column is passed on without being read. */
  #output(row: Row, around: Around | undefined): Row {
    return this.#outputs.map(({ term }, at) => {
      if (!this.#needed.has(at)) return null;
      return term.slot === undefined ? term.of(row, around) : (row[term.slot] ?? null);
    });
  }

  #source(running: Running, first: number | undefined): Groups {
    const [main] = this.#feeds;
    if (main === undefined) return oneRow(running.width);
    const left = this.#early(main, running, first);
    return this.#joins.reduce(
      (rows, join) =>
        joined(rows, { ...join, right: this.#early(join.feed, running), slots: slotsOf(join.feed.source) }, running),
      left,
    );
  }

  /** The rows of one source that fulfil the conditions on this source alone. */
  #early(feed: Feed, running: Running, first?: number): Groups {
    const own = this.#conditions.flatMap(({ condition, source }) => (source === feed.source ? [condition] : []));
    const rows = feed.rows(running, first);
    return own.length === 0 ? rows : filtered(rows, own, running);
  }

  /** The only source that the condition names, if no outer join fills its columns with NULLs. */
  #earlySource(condition: Term, joins: readonly Join[]): Source | undefined {
    const [only, ...more] = sourcesIn(condition);
    const at = this.#feeds.findIndex(({ source }) => source === only);
    if (only === undefined || more.length > 0) return undefined;
    const isFilled = joins.some(({ kind }, place) =>
      place + 1 === at ? kind === "left" || kind === "full" : place + 1 > at && (kind === "right" || kind === "full"),
    );
    return isFilled ? undefined : only;
  }

  /** @param at the index of the joined source. @throws SqlError without an equality between both sides */
  #joining({ kind, on }: Join, at: number, where: Term | undefined, binder: Binder): Joining {
    const feed = this.#feeds[at]!;
    const condition = on === undefined ? undefined : binder.condition(on);
    const before = new Set(this.#feeds.slice(0, at).map(({ source }) => source));
    const leftKeys: Term[] = [];
    const rightKeys: Term[] = [];
    const conditions: Term[] = [];
    for (const part of partsOf(kind === "comma" ? where : condition)) {
      const sides = sidesOf(part, before, feed.source);
      if (sides === undefined) conditions.push(part);
      else {
        leftKeys.push(sides[0]);
        rightKeys.push(sides[1]);
      }
    }
    if (leftKeys.length === 0)
      throw kind === "comma"
        ? new SqlError(
            "syntax",
            "tables beside each other need an equality of their columns in WHERE; write JOIN ... ON a.x = b.x",
          )
        : new SqlError("refused", "a JOIN needs ON with an equality between columns of both sides");
    return kind === "comma"
      ? { feed, kind: "inner", leftKeys, rightKeys, conditions: [] }
      : { feed, kind, leftKeys, rightKeys, conditions };
  }

  /** True if an index provides the order, so that a LIMIT ends the scan early. The scan then returns its rows in this order. */
  #isOrderOfScan([first, second, ...more]: readonly SortTerm[]): boolean {
    const [feed, ...others] = this.#feeds;
    if (!(feed instanceof Scan) || !feed.table.ordered || others.length > 0) return false;
    if (first === undefined || more.length > 0 || this.#isGrouped || this.#isDistinct || this.#windows.length > 0)
      return false;
    const isColumn = ({ form }: Term, name: string): boolean =>
      form?.is === "column" && form.source === feed.source && form.name === name;
    if (!isColumn(first.term, "created_at")) return false;
    if (second !== undefined && (!isColumn(second.term, "id") || second.isDescending)) return false;
    feed.order = first.isDescending ? "newest-first" : "oldest-first";
    return true;
  }
}

function slotsOf({ needed, slots }: Source): readonly number[] {
  return [...needed].map((name) => slots.get(name)!);
}

/** The parts of a condition that must all be true. */
function partsOf(condition: Term | undefined): readonly Term[] {
  if (condition === undefined) return [];
  return condition.form?.is === "and" && condition.parts === condition.form.parts
    ? condition.parts.flatMap(partsOf)
    : [condition];
}

/** The sources of the SELECT that a term names. */
function sourcesIn(term: Term, found = new Set<unknown>()): ReadonlySet<Source> {
  if (term.form?.is === "column") found.add(term.form.source);
  for (const part of term.parts) sourcesIn(part, found);
  return found as ReadonlySet<Source>;
}

/** The sides of an equality, the one of the sources before first; undefined if the condition is no equality of both sides. */
function sidesOf({ form }: Term, before: ReadonlySet<Source>, joined: Source): readonly [Term, Term] | undefined {
  if (form?.is !== "comparison" || form.op !== "=") return undefined;
  const isOf = (term: Term, sources: ReadonlySet<Source>): boolean => {
    const named = sourcesIn(term);
    return named.size > 0 && [...named].every((source) => sources.has(source));
  };
  const own = new Set([joined]);
  if (isOf(form.left, before) && isOf(form.right, own)) return [form.left, form.right];
  return isOf(form.right, before) && isOf(form.left, own) ? [form.right, form.left] : undefined;
}

/** @throws SqlError if a position is no column */
export function atPosition<Of extends { readonly term: Term }>(expr: Expr, outputs: readonly Of[]): Term | undefined {
  if (expr.type !== "literal" || typeof expr.value !== "number") return undefined;
  const output = outputs[expr.value - 1];
  if (output === undefined) throw new SqlError("syntax", `there is no column ${expr.value}`);
  return output.term;
}

/** @throws SqlError if two different columns have one name */
function outputsOf({ columns, joins }: Select, scope: Scope, binder: Binder): readonly Output[] {
  const outputs = new Map<string, Output>();
  const counts = new Map<string, number>();
  const add = (name: string, term: Term): void => {
    const known = outputs.get(name)?.term;
    if (known === undefined) outputs.set(name, { name, type: term.type, term });
    else if (!isSame(known, term) && !areJoined(known, term, joins, binder))
      throw new SqlError("syntax", `two columns have the name '${name}'; name the columns, and one of these with AS`);
  };
  for (const column of columns) {
    if (column.type === "star") {
      for (const source of scope.starred(column.table))
        for (const name of source.columns.keys()) add(name, scope.termOf(source, name));
      continue;
    }
    const term = binder.term(column.expr);
    if (column.alias !== undefined) add(column.alias, term);
    else if (term.form?.is === "column") add(term.form.name, term);
    else add(freeName(nameOf(column.expr), outputs, counts), term);
  }
  return [...outputs.values()];
}

/** A computed column without an alias gets a number if its name is taken. @param counts the last number for each name */
function freeName(name: string, taken: ReadonlyMap<string, Output>, counts: Map<string, number>): string {
  let free = name;
  for (let count = counts.get(name) ?? 1; taken.has(free); free = `${name}:${count}`) counts.set(name, ++count);
  return free;
}

function isSame({ form: one }: Term, { form: other }: Term): boolean {
  return one?.is === "column" && other?.is === "column" && one.source === other.source && one.name === other.name;
}

/** True if an inner join makes both columns equal. */
function areJoined(one: Term, other: Term, joins: readonly Join[], binder: Binder): boolean {
  return joins.some(({ kind, on }) => {
    const form = kind === "inner" && on?.type === "comparison" ? binder.term(on).form : undefined;
    if (form?.is !== "comparison" || form.op !== "=") return false;
    const { left, right } = form;
    return (isSame(left, one) && isSame(right, other)) || (isSame(left, other) && isSame(right, one));
  });
}

/** Names computed columns without an alias: literals, counts and moments as the reference server names them. */
function nameOf(expr: Expr): string {
  return referenceName(expr) ?? ownName(expr);
}

const NAMED = /^(COUNT|NOW|CURRENT_TIMESTAMP|CURRENT_DATE|AGE|DATE_BIN|TO_TIMESTAMP(_\w+)?)$/;

function referenceName(expr: Expr): string | undefined {
  if (expr.type === "literal") return literalName(expr.value);
  if (expr.type !== "call" || !NAMED.test(expr.name) || expr.isDistinct) return undefined;
  if (expr.isStar) return `${expr.name.toLowerCase()}(*)`;
  const args = expr.args.map((arg) => (arg.type === "column" ? arg.name : referenceName(arg)));
  if (expr.name === "COUNT" && expr.args.some(({ type }) => type === "column")) return undefined;
  return args.includes(undefined) ? undefined : `${expr.name.toLowerCase()}(${args.join(",")})`;
}

function literalName(value: Literal): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `Utf8("${value}")`;
  if (typeof value === "boolean") return `Boolean(${value})`;
  if (typeof value === "object") return JSON.stringify(value);
  return Number.isInteger(Number(value)) ? `Int64(${value})` : `Float64(${value})`;
}

function ownName(expr: Expr): string {
  switch (expr.type) {
    case "column":
      return expr.name;
    case "literal":
      return String(expr.value);
    case "cast":
      return `${ownName(expr.of)}_as_${expr.to}`;
    case "negative":
      return `-_${ownName(expr.of)}`;
    case "not":
      return `NOT_${ownName(expr.of)}`;
    case "is":
      return `IS ${expr.isNot ? "NOT " : ""}${expr.test}_${ownName(expr.of)}`;
    case "arithmetic":
    case "comparison":
      return `${ownName(expr.left)}_${expr.op}_${ownName(expr.right)}`;
    case "and":
    case "or":
      return expr.parts.map(ownName).join(`_${expr.type.toUpperCase()}_`);
    case "like":
      return `${ownName(expr.left)}_LIKE_${ownName(expr.pattern)}`;
    case "call":
      if (expr.over !== undefined) return expr.name.toLowerCase();
      return `${expr.name.toLowerCase()}_${expr.isStar ? "all" : expr.args.map(ownName).join("_")}`;
    default:
      return "expr";
  }
}
