/** The tests IS TRUE, IS FALSE and IS UNKNOWN, and their negations. */
import type { ExprNode, Statement, UserDefinedFunction } from "squirreling";

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

/** The test that is true exactly when the given test is false. */
export function contraryTruth(name: string): string {
  return name.startsWith("IS_NOT_") ? name.replace("IS_NOT_", "IS_") : name.replace("IS_", "IS_NOT_");
}

/**
 * Puts the tests back into the parsed statement. The SQL engine cannot parse them, so `inDialect` has written IS NOT NULL in
 * their place.
 * @param truths the tests, by the position at which the IS NOT NULL of each test ends
 */
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
