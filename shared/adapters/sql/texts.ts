/** Functions over texts, whose letters are Unicode code points, and the operator LIKE. */
import { SqlError } from "../../engine/ports/sql.ts";

/** @param start counts from 1; a start before the first letter shortens the result */
export function part(text: string, start: number, length?: number): string {
  const from = whole(start) - 1;
  const count = length === undefined ? Infinity : whole(length);
  if (count < 0) throw new SqlError("syntax", "the length of a part of a text is negative");
  return [...text].slice(Math.max(from, 0), Math.max(from + count, 0)).join("");
}

export function start(text: string, count: number): string {
  return [...text].slice(0, whole(count)).join("");
}

export function end(text: string, count: number): string {
  const letters = [...text];
  return letters.slice(whole(count) < 0 ? -count : Math.max(letters.length - count, 0)).join("");
}

/** Counts from 1. @returns 0 if the text does not contain the other one */
export function position(text: string, sought: string): number {
  const at = text.indexOf(sought);
  return at < 0 ? 0 : letterCount(text.slice(0, at)) + 1;
}

export function letterCount(text: string): number {
  return [...text].length;
}

function whole(count: number): number {
  if (!Number.isInteger(count)) throw new SqlError("syntax", `'${count}' is no count of letters`);
  return count;
}

/**
 * The test of a LIKE: `%` matches any text and `_` any letter; after a backslash, each matches only itself. No pattern makes the
 * time exponential.
 */
export function likeTest(pattern: string): (text: string) => boolean {
  if (!/[_\\]/.test(pattern)) {
    const parts = pattern.split("%");
    return (text) => hasParts(text, parts);
  }
  const signs = pattern.match(/\\[^]|[^]/gu) ?? [];
  return (text) => isLikeByLetter([...text], signs);
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
