/** Turns parsed expressions into terms: finds what their names mean, and determines their types. */
import { SqlError } from "../../engine/ports/sql.ts";
import { aggregate, isAggregate, isWindow, windowCall } from "./aggregates.ts";
import { arithmetic, negative } from "./arithmetic.ts";
import {
  among,
  amongElements,
  between,
  conjunction,
  type InnerList,
  isTest,
  like,
  negation,
  within,
} from "./conditions.ts";
import { alike, beside, cast, comparison, holder, interval } from "./conversions.ts";
import { boundCall } from "./functions.ts";
import { type Allowed, type Scope, slotTerm } from "./scope.ts";
import type { Call, Expr, Query, SortItem } from "./syntax.ts";
import { constant, term, type Term, type SortTerm } from "./terms.ts";
import { isNumeric, type Type } from "./values.ts";

/** The statements within expressions. */
export interface InnerQueries {
  readonly nowMs: number;
  /** The value of the only column of the first row. */
  scalar(query: Query, scope: Scope): Term;
  exists(query: Query, scope: Scope): Term;
  /** The values of the only column. */
  list(query: Query, scope: Scope): InnerList;
}

export class Binder {
  readonly #scope: Scope;
  readonly #inner: InnerQueries;
  readonly #allowed: Allowed;

  constructor(scope: Scope, inner: InnerQueries, allowed: Allowed = {}) {
    this.#scope = scope;
    this.#inner = inner;
    this.#allowed = allowed;
  }

  /** @throws SqlError if the expression has no meaning or no type here */
  readonly term = (expr: Expr): Term => {
    switch (expr.type) {
      case "literal":
        return constant(expr.value, typeOfLiteral(expr));
      case "interval":
        return interval(expr.text);
      case "column":
        return this.#scope.column(expr.table, expr.name, this.#allowed);
      case "call":
        return this.#call(expr);
      case "negative":
        return negative(this.term(expr.of));
      case "not":
        return negation(this.condition(expr.of));
      case "arithmetic":
        return arithmetic(expr.op, this.term(expr.left), this.term(expr.right));
      case "comparison":
        return comparison(expr.op, this.term(expr.left), this.term(expr.right));
      case "and":
        return conjunction(expr.parts.map(this.condition), false);
      case "or":
        return conjunction(expr.parts.map(this.condition), true);
      case "like":
        return like(this.term(expr.left), this.term(expr.pattern), expr.ignoresCase);
      case "between":
        return between(this.term(expr.of), this.term(expr.low), this.term(expr.high));
      case "in":
        return "body" in expr.list
          ? within(this.term(expr.of), this.#inner.list(expr.list, this.#scope))
          : among(this.term(expr.of), expr.list.map(this.term));
      case "any":
        return amongElements(this.term(expr.of), this.term(expr.array));
      case "is":
        return isTest(expr.test === "NULL" ? this.term(expr.of) : this.condition(expr.of), expr.test, expr.isNot);
      case "case":
        return this.#case(expr);
      case "cast":
        return cast(expr.to === "moment" ? castToMoment(this.term(expr.of), this.#inner) : this.term(expr.of), expr.to);
      case "exists":
        return this.#inner.exists(expr.query, this.#scope);
      case "subquery":
        return this.#inner.scalar(expr.query, this.#scope);
    }
  };

  /** @throws SqlError if the expression is neither true, false nor NULL */
  readonly condition = (expr: Expr): Term => {
    const given = beside(this.term(expr), "boolean");
    if (given.type === "boolean" || given.type === "null") return given;
    if (isNumeric(given.type)) return cast(given, "boolean");
    throw new SqlError("syntax", `a condition is true or false, and this is a ${given.type}`);
  };

  readonly sortTerm = ({ expr, ...more }: SortItem): SortTerm => ({ term: this.term(expr), ...more });

  #call(expr: Call): Term {
    const { name, isStar, isDistinct, filter, over } = expr;
    if (over !== undefined) return this.#windowed(expr, over);
    if (isAggregate(name)) return this.#aggregated(expr);
    if (isWindow(name)) throw new SqlError("syntax", `${name.toLowerCase()} needs OVER (...)`);
    if (isStar || isDistinct || filter !== undefined || expr.orderBy.length > 0)
      throw new SqlError("syntax", `the function ${name.toLowerCase()} takes only values`);
    return boundCall(name, expr.args.map(this.term), this.#inner.nowMs);
  }

  #windowed({ name, args, filter }: Call, over: NonNullable<Call["over"]>): Term {
    const { windows } = this.#allowed;
    if (windows === undefined) throw new SqlError("syntax", `${name.toLowerCase()} OVER is only allowed in a column`);
    if (!isWindow(name) || filter !== undefined)
      throw new SqlError("syntax", `window functions are row_number, rank, dense_rank, lag and lead`);
    const { windows: _, ...without } = this.#allowed;
    const binder = new Binder(this.#scope, this.#inner, without);
    const slot = this.#scope.newSlot();
    const call = windowCall({
      name,
      slot,
      args: args.map(binder.term),
      partitionBy: over.partitionBy.map(binder.term),
      orderBy: over.orderBy.map(binder.sortTerm),
    });
    windows.push(call);
    return slotTerm(slot, call.type);
  }

  #aggregated({ name, args, isStar, isDistinct, orderBy, filter }: Call): Term {
    const { aggregates } = this.#allowed;
    if (aggregates === undefined) throw new SqlError("syntax", `${name.toLowerCase()} is not allowed here`);
    const binder = new Binder(this.#scope, this.#inner);
    const slot = this.#scope.newSlot();
    const call = aggregate(name, args.map(binder.term), {
      slot,
      isStar,
      isDistinct,
      orderBy: orderBy.map(binder.sortTerm),
      ...(filter && { filter: binder.condition(filter) }),
    });
    aggregates.push(call);
    return slotTerm(slot, call.type);
  }

  #case({ of, whens, otherwise }: Extract<Expr, { type: "case" }>): Term {
    const operand = of && this.term(of);
    const conditions = whens.map(([when]) => (operand === undefined ? this.condition(when) : this.term(when)));
    const results = alike([...whens.map(([, then]) => this.term(then)), otherwise ? this.term(otherwise) : NULL]);
    const timed = conditions.find(({ type }) => type === "moment" || type === "duration");
    const { held, hold } = holder(
      timed === undefined || operand === undefined ? (operand ?? NULL) : beside(operand, timed.type),
    );
    const tests = operand === undefined ? conditions : conditions.map((one) => comparison("=", held, one));
    const parts = [...(operand ? [operand] : []), ...conditions, ...results.terms];
    return term(results.type, parts, (row, around) => {
      if (operand !== undefined) hold(operand.of(row, around));
      const at = tests.findIndex((test) => test.of(row, around) === true);
      return (at < 0 ? results.terms.at(-1)! : results.terms[at]!).of(row, around);
    });
  }
}

const NULL = constant(null, "null");

function typeOfLiteral({ value, text }: Extract<Expr, { type: "literal" }>): Type {
  if (value === null) return "null";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "object") return value.every((one) => typeof one === "number") ? "integers" : "texts";
  return /[.e]/i.test(text ?? "") ? "number" : "integer";
}

function castToMoment(of: Term, { nowMs }: InnerQueries): Term {
  return of.type === "moment" ? of : boundCall("TO_TIMESTAMP", [of], nowMs);
}
