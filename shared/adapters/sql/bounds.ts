/** Derives bounds of single columns from a condition, so that a scan can skip rows. The condition is still computed on each row. */
import { both, either, type Bound } from "../../core/query/narrowing.ts";
import type { Source } from "./scope.ts";
import type { Comparison } from "./syntax.ts";
import type { Around, Term } from "./terms.ts";
import { textOf, type Known } from "./values.ts";

/** The bounds by column. */
export type Bounds = Map<string, Bound>;

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
const CONTRARY: Readonly<Record<Comparison, Comparison>> = {
  "=": "<>",
  "<>": "=",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/**
 * The bounds of the source's columns that follow if the condition is true, or if it is false with `isNot`.
 * @throws Pending if a statement within the condition has to run first
 */
export function boundsIn(condition: Term, source: Source, around: Around | undefined, isNot = false): Bounds {
  const { form } = condition;
  switch (form?.is) {
    case "and":
    case "or": {
      const parts = form.parts.map((part) => boundsIn(part, source, around, isNot));
      return parts.reduce((form.is === "and") !== isNot ? conjunction : disjunction);
    }
    case "not":
      return boundsIn(form.of, source, around, !isNot);
    case "comparison": {
      const op = isNot ? CONTRARY[form.op] : form.op;
      const right = ofComparison(form.left, op, form.right, source, around);
      return right ?? ofComparison(form.right, MIRRORED[op], form.left, source, around) ?? new Map();
    }
    case "in": {
      const name = columnOf(form.of, source);
      const values = name === undefined || form.of.type === "moment" ? undefined : form.values(around);
      if (name === undefined || values === undefined) return new Map();
      const texts = values.map((value) => textOf(value!));
      return new Map([[name, isNot ? { notIn: texts } : { in: texts }]]);
    }
    case "like":
      return isNot ? new Map() : ofLike(form.left, form.pattern, source, around);
    default:
      return new Map();
  }
}

function columnOf({ form }: Term, source: Source): string | undefined {
  return form?.is === "column" && form.source === source ? form.name : undefined;
}

function ofComparison(
  left: Term,
  op: Comparison,
  right: Term,
  source: Source,
  around: Around | undefined,
): Bounds | undefined {
  const name = columnOf(left, source);
  if (name === undefined || !right.isFixed) return undefined;
  const value = right.of([], around);
  // A comparison with NULL is never true, and neither is its negation.
  if (value === null) return left.type === "moment" ? new Map() : new Map([[name, { in: [] }]]);
  if (typeof value === "object") return new Map();
  const bound = left.type === "moment" ? momentBound(op, Number(value)) : valueBound(op, value);
  return bound === undefined ? new Map() : new Map([[name, bound]]);
}

function valueBound(op: Comparison, value: Known): Bound | undefined {
  if (op === "=") return { in: [textOf(value)] };
  return op === "<>" ? { notIn: [textOf(value)] } : undefined;
}

function momentBound(op: Comparison, atMs: number): Bound | undefined {
  if (op === "=") return { fromMs: atMs, toMs: atMs };
  if (op === "<" || op === "<=") return { toMs: atMs };
  return op === ">" || op === ">=" ? { fromMs: atMs } : undefined;
}

/** A target begins with the name of its service, so `Greeter/%` restricts the service. */
function ofLike(left: Term, pattern: Term, source: Source, around: Around | undefined): Bounds {
  if (columnOf(left, source) !== "target" || !source.columns.has("target_service_name") || !pattern.isFixed)
    return new Map();
  const fixed = /^[^%_\\]*/.exec(textOf(pattern.of([], around) ?? ""))![0];
  const slash = fixed.indexOf("/");
  return slash < 0 ? new Map() : new Map([["target_service_name", { in: [fixed.slice(0, slash)] }]]);
}

function conjunction(left: Bounds, right: Bounds): Bounds {
  const joined = new Map(left);
  for (const [column, bound] of right) joined.set(column, both(joined.get(column) ?? {}, bound));
  return joined;
}

function disjunction(left: Bounds, right: Bounds): Bounds {
  const joined: Bounds = new Map();
  for (const [column, bound] of left) {
    const other = right.get(column);
    const one = other && either(bound, other);
    if (one !== undefined) joined.set(column, one);
  }
  return joined;
}
