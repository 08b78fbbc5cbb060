/** Defines additional SQL functions, and names the SQL engine's functions that statements must not use. */
import type { SqlPrimitive, UserDefinedFunction } from "squirreling";
import { JSON_FUNCTIONS } from "./json-functions.ts";
import { momentFunctionsAt } from "./moment-expressions.ts";
import { TRUTH_FUNCTIONS } from "./truths.ts";
import { textOf } from "./values.ts";

/** A pattern of a regular expression can take unbounded time, and Stepwell needs no geometry. */
const REFUSED = /^(REGEXP_|ST_)/i;

export const LIKE = "LIKE_TEXT";
/** True if the value is in the set with the given number. */
export const IN_SET = "IN_SET";

export function isRefused(name: string): boolean {
  return REFUSED.test(name);
}

/** @param sets the sets of `IN_SET` by number; the caller may add more before the statement runs */
export function functionsAt(nowMs: number, sets: readonly ReadonlySet<string>[]): Record<string, UserDefinedFunction> {
  return {
    [LIKE]: { apply: (text, pattern) => isLike(text ?? null, pattern ?? null), arguments: { min: 2, max: 2 } },
    [IN_SET]: {
      apply: (value, at) => value !== null && value !== undefined && sets[Number(at)]?.has(textOf(value)) === true,
      arguments: { min: 2, max: 2 },
    },
    FIRST_OF: { apply: (values) => listOf(values)[0] ?? null, arguments: { min: 1, max: 1 } },
    FIRST_BY: {
      apply: (values, keys, direction) => firstBy(listOf(values), listOf(keys), direction === "DESC"),
      arguments: { min: 3, max: 3 },
    },
    ...momentFunctionsAt(nowMs),
    ...JSON_FUNCTIONS,
    ...TRUTH_FUNCTIONS,
  };
}

function listOf(values: SqlPrimitive | undefined): readonly SqlPrimitive[] {
  return Array.isArray(values) ? values : [];
}

function firstBy(values: readonly SqlPrimitive[], keys: readonly SqlPrimitive[], isDescending: boolean): SqlPrimitive {
  let best = -1;
  for (const [at, key] of keys.entries()) {
    if (key === null) continue;
    const known = keys[best];
    if (known === undefined || known === null || (isDescending ? key > known : key < known)) best = at;
  }
  return values[best] ?? null;
}

/** `%` matches any text and `_` one letter; the comparison is case-sensitive. */
function isLike(text: SqlPrimitive, pattern: SqlPrimitive): boolean {
  if (text === null || pattern === null) return false;
  const [whole, wanted] = [textOf(text), textOf(pattern)];
  return wanted.includes("_") ? isLikeByLetter([...whole], [...wanted]) : hasParts(whole, wanted.split("%"));
}

/** True if the text contains the parts in order, the first at its start and the last at its end. */
function hasParts(text: string, [first = "", ...more]: readonly string[]): boolean {
  const last = more.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of more) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Takes time proportional to the product of both lengths at worst. */
function isLikeByLetter(letters: readonly string[], signs: readonly string[]): boolean {
  let [at, sign] = [0, 0];
  let [star, mark] = [-1, 0];
  while (at < letters.length) {
    if (signs[sign] === "%") {
      [star, mark] = [sign, at];
      sign++;
    } else if (sign < signs.length && (signs[sign] === "_" || signs[sign] === letters[at])) {
      at++;
      sign++;
    } else if (star >= 0) {
      sign = star + 1;
      at = ++mark;
    } else return false;
  }
  while (signs[sign] === "%") sign++;
  return sign === signs.length;
}
