/** The operator LIKE over two texts; no pattern makes its time exponential. */
import type { SqlPrimitive } from "squirreling";
import { textOf } from "./values.ts";

/** The name of the function that replaces the operator LIKE in a parsed statement. */
export const LIKE = "LIKE_TEXT";

/** `%` matches any text and `_` any letter; after a backslash, each matches only itself. The comparison is case-sensitive. */
export function isLike(text: SqlPrimitive, pattern: SqlPrimitive): boolean {
  if (text === null || pattern === null) return false;
  const [whole, wanted] = [textOf(text), textOf(pattern)];
  return /[_\\]/.test(wanted)
    ? isLikeByLetter([...whole], wanted.match(/\\[^]|[^]/gu) ?? [])
    : hasParts(whole, wanted.split("%"));
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
    } else if (
      sign < signs.length &&
      (signs[sign] === "_" || signs[sign] === letters[at] || signs[sign] === `\\${letters[at]}`)
    ) {
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
