/** Rewrites, token by token, two phrases that clients write and the SQL engine does not support. */
import { tokenizeSql } from "squirreling";
import type { Token } from "squirreling";

/**
 * - `FIRST_VALUE(a ORDER BY b)` becomes a function over two aggregates. Without an order, in a grouped statement, it
 *   becomes `(a)`, which the SQL engine reads from the first row of the group only.
 * - `information_schema.columns` becomes one quoted name.
 */
export function inDialect(statement: string): string {
  const tokens = tokenizeSql(statement);
  const isGrouped = tokens.some((token) => isWord(token, "GROUP"));
  let text = "";
  let at = 0;
  for (let i = 0; i < tokens.length; i++) {
    const replaced = firstValue(statement, tokens, i, isGrouped) ?? schemaName(tokens, i);
    // Without a closing parenthesis the rest is unreadable too; the parser reports the error.
    if (replaced === "unclosed") break;
    if (replaced === undefined) continue;
    text += statement.slice(at, tokens[i]!.positionStart) + replaced.text;
    i = replaced.last;
    at = tokens[i]!.positionEnd;
  }
  return text + statement.slice(at);
}

interface Replaced {
  readonly text: string;
  /** The index of the last replaced token. */
  readonly last: number;
}

function schemaName(tokens: readonly Token[], i: number): Replaced | undefined {
  if (!isWord(tokens[i], "INFORMATION_SCHEMA") || tokens[i + 1]?.type !== "dot") return undefined;
  const name = tokens[i + 2];
  return name === undefined ? undefined : { text: `"information_schema.${name.value.toLowerCase()}"`, last: i + 2 };
}

function firstValue(
  statement: string,
  tokens: readonly Token[],
  i: number,
  isGrouped: boolean,
): Replaced | "unclosed" | undefined {
  if (!isWord(tokens[i], "FIRST_VALUE") || tokens[i + 1]?.value !== "(") return undefined;
  let depth = 0;
  let order: number | undefined;
  for (let j = i + 1; j < tokens.length; j++) {
    const { type, value } = tokens[j]!;
    if (type === "paren") depth += value === "(" ? 1 : -1;
    if (depth === 1 && order === undefined && isWord(tokens[j], "ORDER")) order = j;
    if (depth > 0) continue;
    const from = tokens[i + 1]!.positionEnd;
    const to = tokens[j]!.positionStart;
    return { text: firstText(statement, tokens, { from, to, order, last: j, isGrouped }), last: j };
  }
  return "unclosed";
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly order: number | undefined;
  readonly last: number;
  readonly isGrouped: boolean;
}

function firstText(statement: string, tokens: readonly Token[], { from, to, order, last, isGrouped }: Span): string {
  if (order === undefined) {
    const value = statement.slice(from, to);
    return isGrouped ? `(${value})` : `first_of(ARRAY_AGG(${value}))`;
  }
  const direction = tokens[last - 1]!;
  const isNamed = isWord(direction, "ASC") || isWord(direction, "DESC");
  const value = statement.slice(from, tokens[order]!.positionStart);
  const by = statement.slice(tokens[order + 1]!.positionEnd, isNamed ? direction.positionStart : to);
  const word = isWord(direction, "DESC") ? "DESC" : "ASC";
  return `first_by(ARRAY_AGG(${value}), ARRAY_AGG(${by}), '${word}')`;
}

function isWord(token: Token | undefined, word: string): boolean {
  return (token?.type === "identifier" || token?.type === "keyword") && token.value.toUpperCase() === word;
}
