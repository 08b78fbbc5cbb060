/** Derives bounds of single columns from a WHERE, so that a scan can skip rows. The SQL engine checks the other rows. */
import type { ExprNode, SqlPrimitive } from "squirreling";
import { both, either, type Bound } from "../../core/query/narrowing.ts";
import { LIKE } from "./like.ts";
import { resolveColumn, type Scope, type Source } from "./scope.ts";
import { momentOf, textOf } from "./values.ts";

/** The bounds by source, then by column. */
export type Bounds = Map<Source, Map<string, Bound>>;

type Binary = Extract<ExprNode, { type: "binary" }>;
type Named = Extract<ExprNode, { type: "identifier" }>;

const MIRRORED: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

export function boundsIn(expr: ExprNode, scope: Scope): Bounds {
  if (expr.type === "binary") return ofBinary(expr, scope);
  if (expr.type === "function" && expr.funcName === LIKE) return ofLike(expr.args, scope);
  if (expr.type === "in valuelist") return ofList(expr, scope, (values) => ({ in: values }));
  if (expr.type === "unary" && expr.op === "NOT" && expr.argument.type === "in valuelist")
    return ofList(expr.argument, scope, (values) => ({ notIn: values }));
  return new Map();
}

function ofBinary(expr: Binary, scope: Scope): Bounds {
  const { op, left, right } = expr;
  if (op === "AND") return conjunction(boundsIn(left, scope), boundsIn(right, scope));
  if (op === "OR") return disjunction(boundsIn(left, scope), boundsIn(right, scope));
  if (left.type === "identifier" && right.type === "literal") return ofComparison(left, op, right.value, scope);
  if (left.type === "literal" && right.type === "identifier")
    return ofComparison(right, MIRRORED[op] ?? op, left.value, scope);
  return new Map();
}

function ofComparison(named: Named, op: string, value: SqlPrimitive, scope: Scope): Bounds {
  const resolved = resolveColumn(named, scope);
  const source = resolved?.brought.source;
  if (source === undefined || value === null || typeof value === "object") return new Map();
  const text = textOf(value);
  const bound = resolved?.type === "moment" ? momentBound(op, text) : valueBound(op, text);
  return bound === undefined ? new Map() : new Map([[source, new Map([[named.name, bound]])]]);
}

function valueBound(op: string, value: string): Bound | undefined {
  if (op === "=" || op === "==") return { in: [value] };
  return op === "!=" || op === "<>" ? { notIn: [value] } : undefined;
}

function momentBound(op: string, value: string): Bound | undefined {
  const atMs = momentOf(value);
  if (atMs === undefined) return undefined;
  if (op === "=" || op === "==") return { fromMs: atMs, toMs: atMs };
  if (op === "<" || op === "<=") return { toMs: atMs };
  return op === ">" || op === ">=" ? { fromMs: atMs } : undefined;
}

/** A target begins with the name of its service, so `Greeter/%` restricts the service. */
function ofLike([named, pattern]: readonly ExprNode[], scope: Scope): Bounds {
  if (named?.type !== "identifier" || named.name !== "target" || pattern?.type !== "literal") return new Map();
  const source = resolveColumn(named, scope)?.brought.source;
  const fixed = /^[^%_\\]*/.exec(textOf(pattern.value))![0];
  const slash = fixed.indexOf("/");
  if (source === undefined || slash < 0) return new Map();
  return new Map([[source, new Map([["target_service_name", { in: [fixed.slice(0, slash)] }]])]]);
}

function ofList(
  list: Extract<ExprNode, { type: "in valuelist" }>,
  scope: Scope,
  boundOf: (values: readonly string[]) => Bound,
): Bounds {
  const { expr, values } = list;
  if (expr.type !== "identifier" || "isWide" in list) return new Map();
  const resolved = resolveColumn(expr, scope);
  const source = resolved?.brought.source;
  if (source === undefined || resolved?.type === "moment") return new Map();
  const texts: string[] = [];
  for (const value of values) {
    if (value.type !== "literal" || value.value === null || typeof value.value === "object") return new Map();
    texts.push(textOf(value.value));
  }
  return new Map([[source, new Map([[expr.name, boundOf(texts)]])]]);
}

function conjunction(left: Bounds, right: Bounds): Bounds {
  const joined: Bounds = new Map([...left].map(([source, columns]) => [source, new Map(columns)]));
  for (const [source, columns] of right) {
    const own = joined.get(source) ?? new Map<string, Bound>();
    for (const [column, bound] of columns) own.set(column, both(own.get(column) ?? {}, bound));
    joined.set(source, own);
  }
  return joined;
}

function disjunction(left: Bounds, right: Bounds): Bounds {
  const joined: Bounds = new Map();
  for (const [source, columns] of left) {
    const own = new Map<string, Bound>();
    for (const [column, bound] of columns) {
      const other = right.get(source)?.get(column);
      const one = other && either(bound, other);
      if (one !== undefined) own.set(column, one);
    }
    if (own.size > 0) joined.set(source, own);
  }
  return joined;
}
