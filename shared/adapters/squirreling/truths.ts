/** The tests IS TRUE, IS FALSE and IS UNKNOWN, and their negations. */
import type { ExprNode, Statement, UserDefinedFunction } from "squirreling";

type Call = Extract<ExprNode, { type: "function" }>;

const TRUTHS: Readonly<Record<string, (value: unknown) => boolean>> = {
  IS_TRUE: (value) => value === true,
  IS_NOT_TRUE: (value) => value !== true,
  IS_FALSE: (value) => value === false,
  IS_NOT_FALSE: (value) => value !== false,
  IS_UNKNOWN: (value) => value === null || value === undefined,
  IS_NOT_UNKNOWN: (value) => value !== null && value !== undefined,
};

export const TRUTH_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = Object.fromEntries(
  Object.entries(TRUTHS).map(([name, test]) => [name, { apply: test, arguments: { min: 1, max: 1 } }]),
);

export function isTruth(name: string): boolean {
  return Object.hasOwn(TRUTHS, name);
}

/**
 * Rewrites a test of an expression such as `x = 1`, which the SQL engine evaluates to false if its value is unknown.
 *
 * @param negated gives an expression that is true exactly where its argument is false
 */
export function withKnownFalse(test: Call, negated: (expr: ExprNode) => ExprNode): ExprNode {
  const [argument] = test.args;
  if (argument === undefined || argument.type === "identifier") return test;
  const isNotTrue = (one: ExprNode): ExprNode => ({ ...test, funcName: "IS_NOT_TRUE", args: [one] });
  const isTrue = (one: ExprNode): ExprNode => ({ ...test, funcName: "IS_TRUE", args: [one] });
  const { positionStart, positionEnd } = test;
  const both = (op: "AND" | "OR", left: ExprNode, right: ExprNode): ExprNode => ({
    type: "binary",
    op,
    left,
    right,
    positionStart,
    positionEnd,
  });
  switch (test.funcName) {
    case "IS_FALSE":
      return isTrue(negated(argument));
    case "IS_NOT_FALSE":
      return isNotTrue(negated(argument));
    case "IS_UNKNOWN":
      return both("AND", isNotTrue(argument), isNotTrue(negated(argument)));
    case "IS_NOT_UNKNOWN":
      return both("OR", isTrue(argument), isTrue(negated(argument)));
    default:
      return test;
  }
}

/** Replaces each IS NOT NULL that stands for a test by the test. @param truths the tests, by the end of their IS NOT NULL */
export function withTruths(statement: Statement, truths: ReadonlyMap<number, string>): Statement {
  return truths.size === 0 ? statement : (replaced(statement, truths) as Statement);
}

function replaced(node: unknown, truths: ReadonlyMap<number, string>): unknown {
  if (Array.isArray(node)) return node.map((part) => replaced(part, truths));
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, part]) => [name, replaced(part, truths)]));
  const test = copy as unknown as ExprNode;
  const funcName = test.type === "unary" && test.op === "IS NOT NULL" ? truths.get(test.positionEnd) : undefined;
  if (test.type !== "unary" || funcName === undefined) return copy;
  const { positionStart, positionEnd, argument } = test;
  return { type: "function", funcName, args: [argument], positionStart, positionEnd };
}
