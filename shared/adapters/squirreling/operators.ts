/** Rewrites operators that the SQL engine does not have: as functions, as CAST, or as `IS NOT NULL`. */
import { afterClose, append, isSign, isWord, openOf, type Token, tokensOf } from "./tokens.ts";

/**
 * Turns `a -> b` into a function of `a` and `b`. All `signs` are left-associative and have one precedence, which is higher than
 * that of `+`.
 */
export function functionOperator(
  tokens: readonly Token[],
  signs: readonly string[],
  nameOf: (sign: string) => string,
): readonly Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const end = signs.some((sign) => isSign(token, sign)) ? operandEnd(tokens, at + 1) : undefined;
    if (end === undefined) out.push(token);
    else {
      const left = out.splice(operandStart(out));
      const right = functionOperator(tokens.slice(at + 1, end), signs, nameOf);
      append(out, tokensOf(` ${nameOf(token.text)}(`), left, tokensOf(","), right, tokensOf(")"));
      at = end - 1;
    }
  }
  return out;
}

const CASTS: readonly (readonly [RegExp, string])[] = [
  [/^(TEXT|VARCHAR|CHAR|STRING|UTF8)$/, "TEXT"],
  [/^(SMALLINT|INT|INTEGER|BIGINT|INT[248])$/, "BIGINT"],
  [/^(REAL|FLOAT|DOUBLE|NUMERIC|DECIMAL|FLOAT[48])$/, "DOUBLE"],
  [/^(BOOL|BOOLEAN)$/, "BOOLEAN"],
];

/** Turns `a::type` into a CAST, and `a::timestamp` into a call of TO_TIMESTAMP. */
export function castOperators(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const type = tokens[at + 1]?.text.toUpperCase() ?? "";
    if (!isSign(tokens[at], "::") || tokens[at + 1]?.kind !== "word") out.push(tokens[at]!);
    else {
      const left = out.splice(operandStart(out));
      const to = CASTS.find(([pattern]) => pattern.test(type))?.[1] ?? type;
      if (/^TIMESTAMP(TZ)?$/.test(type)) append(out, tokensOf(" TO_TIMESTAMP("), left, tokensOf(")"));
      else append(out, tokensOf(" CAST("), left, tokensOf(` AS ${to})`));
      at += 1;
    }
  }
  return out;
}

/** Turns `IS TRUE`, `IS NOT FALSE` and the like into `IS NOT NULL`. The member `truth` of the NULL token names the test. */
export function truthTests(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const isNot = isWord(tokens[at + 1], "NOT");
    const tested = tokens[at + (isNot ? 2 : 1)];
    if (!isWord(tokens[at], "IS") || !isWord(tested, "TRUE", "FALSE", "UNKNOWN")) out.push(tokens[at]!);
    else {
      const [is, not, nothing] = tokensOf(" IS NOT NULL");
      out.push(is!, not!, { ...nothing!, truth: `IS_${isNot ? "NOT_" : ""}${tested!.text.toUpperCase()}` });
      at += isNot ? 2 : 1;
    }
  }
  return out;
}

/** The last of `tokens` ends an operand. @returns the index of the first token of this operand */
function operandStart(tokens: readonly Token[]): number {
  let at = tokens.length - 1;
  if (isSign(tokens[at], ")")) {
    at = openOf(tokens, at) ?? at;
    if (tokens[at - 1]?.kind === "word" && !isWord(tokens[at - 1], ...BEFORE_OPERAND)) at -= 1;
  } else if (isWord(tokens[at], "END")) at = caseOf(tokens, at);
  while (isSign(tokens[at - 1], ".")) at -= 2;
  return Math.max(at, 0);
}

/** After these words, a parenthesis does not open the arguments of a call. */
const BEFORE_OPERAND = "SELECT DISTINCT WHERE HAVING ON BY AND OR NOT IN BETWEEN LIKE CASE WHEN THEN ELSE".split(" ");

function caseOf(tokens: readonly Token[], end: number): number {
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (isWord(tokens[at], "END")) depth += 1;
    if (isWord(tokens[at], "CASE")) depth -= 1;
    if (depth === 0) return at;
  }
  return end;
}

/** @returns the index after the operand that starts at `start`; undefined if the operand is missing or not closed */
function operandEnd(tokens: readonly Token[], start: number): number | undefined {
  if (start >= tokens.length) return undefined;
  if (isSign(tokens[start], "(")) return afterClose(tokens, start);
  let at = start + 1;
  while (isSign(tokens[at], ".")) at += 2;
  return tokens[start]?.kind === "word" && isSign(tokens[at], "(") ? afterClose(tokens, at) : at;
}
