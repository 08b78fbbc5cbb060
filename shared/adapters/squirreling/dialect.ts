/** Rewrites the phrases that clients write in statements, but that the SQL engine does not support. */
import { SqlError } from "../../engine/ports/sql.ts";
import { withStandIn } from "./inherited-names.ts";
import { joinedSelects } from "./joined-selects.ts";
import { castOperators, functionOperator, truthTests } from "./operators.ts";
import { commandOf, schemaNames, withSource } from "./sources.ts";
import { append, closings, isWord, type Token, tokensOf } from "./tokens.ts";

/** A statement as the SQL engine can read it. */
export interface Dialect {
  readonly text: string;
  /**
   * In `text`, an `IS NOT NULL` stands for each test such as `IS TRUE`. The map contains the names of these tests by the
   * position where the `IS NOT NULL` ends.
   */
  readonly truths: ReadonlyMap<number, string>;
  /** The table that a DESCRIBE names. */
  readonly described?: string;
}

const PASSES: readonly ((tokens: readonly Token[]) => readonly Token[])[] = [
  withStandIn,
  schemaNames,
  longIntegers,
  momentLiterals,
  castOperators,
  (tokens) => functionOperator(tokens, ["->>", "->"], (sign) => (sign === "->" ? "JSON_PART" : "JSON_TEXT")),
  (tokens) => functionOperator(tokens, ["||"], () => "TEXT_JOIN"),
  // `firstValues` splits the arguments of FIRST_VALUE into new tokens, which have no marks. So `truthTests`, which marks
  // tokens, comes after it.
  firstValues,
  truthTests,
  withSource,
  joinedSelects,
];

/** Each of these operators becomes a function around its left operand, so a long chain of operators becomes deeply nested. */
const OPERATORS = new Set(["->", "->>", "||", "::"]);
const OPERATORS_MAX = 500;

/**
 * Translates a statement:
 *
 * - SHOW TABLES and DESCRIBE become statements over `information_schema`.
 * - The name of a table in `information_schema` becomes one quoted name, such as `"information_schema.tables"`.
 * - `interval '...'`, `timestamp '...'`, `->`, `->>`, `||` and `::` become functions.
 * - `FIRST_VALUE(a ORDER BY b)` becomes a function over two aggregates. Without an order, in a grouped statement, it
 *   becomes `(a)`, which the SQL engine reads from the first row of the group only.
 * - A SELECT without FROM gets a table of one row.
 * - A subquery after JOIN becomes a named statement.
 * - The name `__proto__` becomes a stand-in.
 *
 * @throws SqlError if the statement has too many operators
 */
export function inDialect(statement: string): Dialect {
  const tokens = tokensOf(statement);
  if (tokens.filter(({ text }) => OPERATORS.has(text)).length > OPERATORS_MAX)
    throw new SqlError("refused", `a statement has at most ${OPERATORS_MAX} of the operators ->, ->>, || and ::`);
  const { described, instead } = commandOf(tokens);
  let text = "";
  const truths = new Map<number, string>();
  for (const token of PASSES.reduce((rest, pass) => pass(rest), instead ?? tokens)) {
    text += token.before + token.text;
    if (token.truth !== undefined) truths.set(text.length, token.truth);
  }
  return { text, truths, ...(described !== undefined && { described }) };
}

/** An integer that JavaScript may round as a number gets the suffix that the SQL engine reads as a large integer. */
function longIntegers(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token) =>
    token.kind === "number" && /^\d{16,}$/.test(token.text) ? { ...token, text: `${token.text}n` } : token,
  );
}

/** Turns the literals of moments and intervals into calls; `interval '1' day` and `interval '1 day'` become the same call. */
function momentLiterals(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [token, value, unit] = tokens.slice(at, at + 3);
    const isInterval = isWord(token, "INTERVAL") && (value?.kind === "text" || value?.kind === "number");
    if (isWord(token, "TIMESTAMP") && value?.kind === "text") {
      out.push(...tokensOf(` TO_TIMESTAMP(${value.text})`));
      at += 1;
    } else if (isInterval && isWord(unit, ...UNITS)) {
      out.push(...tokensOf(` INTERVAL_OF('${value.text.replaceAll("'", "")} ${unit!.text}')`));
      at += 2;
    } else if (isInterval && value.kind === "text") {
      out.push(...tokensOf(` INTERVAL_OF(${value.text})`));
      at += 1;
    } else out.push(token!);
  }
  return out;
}

const UNITS = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"];

function firstValues(tokens: readonly Token[]): readonly Token[] {
  const isGrouped = tokens.some((token, at) => isWord(token, "GROUP") && isWord(tokens[at + 1], "BY"));
  const out: Token[] = [];
  const ends = closings(tokens);
  for (let at = 0; at < tokens.length; at++) {
    const end = isWord(tokens[at], "FIRST_VALUE") ? ends.get(at + 1) : undefined;
    if (end === undefined) out.push(tokens[at]!);
    else {
      append(out, firstValue(tokens.slice(at + 2, end - 1), isGrouped));
      at = end - 1;
    }
  }
  return out;
}

/** @param inner the tokens between the parentheses of FIRST_VALUE */
function firstValue(inner: readonly Token[], isGrouped: boolean): readonly Token[] {
  const order = orderIn(inner);
  if (order === undefined) {
    const value = textOf(inner);
    return tokensOf(isGrouped ? ` (${value})` : ` first_of(ARRAY_AGG(${value}))`);
  }
  const direction = inner.at(-1);
  const isNamed = isWord(direction, "ASC", "DESC");
  const by = textOf(inner.slice(order + 2, isNamed ? -1 : undefined));
  const word = isWord(direction, "DESC") ? "DESC" : "ASC";
  return tokensOf(` first_by(ARRAY_AGG(${textOf(inner.slice(0, order))}), ARRAY_AGG(${by}), '${word}')`);
}

/** @returns the index of an ORDER outside of all parentheses */
function orderIn(tokens: readonly Token[]): number | undefined {
  const ends = closings(tokens);
  for (let at = 0; at < tokens.length; at++) {
    if (isWord(tokens[at], "ORDER")) return at;
    at = (ends.get(at) ?? at + 1) - 1;
  }
  return undefined;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ before, text }) => before + text).join("");
}
