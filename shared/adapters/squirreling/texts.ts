/**
 * The functions that replace the SQL engine's own. Those over texts count Unicode code points, whereas the SQL engine
 * counts UTF-16 code units; CONCAT, COALESCE and ROUND differ in other ways.
 */
import type { SqlPrimitive, UserDefinedFunction } from "squirreling";
import { SqlError } from "../../engine/ports/sql.ts";
import { textOf } from "./values.ts";

/** The functions that take the place of the SQL engine's own. */
const INSTEAD: Readonly<Record<string, string>> = {
  LENGTH: "TEXT_LENGTH",
  SUBSTR: "TEXT_PART",
  SUBSTRING: "TEXT_PART",
  LEFT: "TEXT_START",
  RIGHT: "TEXT_END",
  STRPOS: "TEXT_POSITION",
  INSTR: "TEXT_POSITION",
  POSITION: "TEXT_POSITION",
  REPLACE: "TEXT_REPLACED",
  CONCAT: "TEXTS_JOINED",
  ROUND: "ROUNDED",
  // The SQL engine evaluates each argument of COALESCE twice, so that nested calls take exponential time.
  COALESCE: "FIRST_KNOWN",
};

/** @returns the name of the function to call in place of the named one; undefined if the SQL engine's own is right */
export function functionInstead(name: string): string | undefined {
  return Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
}

type Apply = (...args: SqlPrimitive[]) => SqlPrimitive;

function ofValues(min: number, max: number, apply: Apply): UserDefinedFunction {
  const strict: Apply = (...args) => (args.some((arg) => arg === null || arg === undefined) ? null : apply(...args));
  return { apply: strict, arguments: { min, max } };
}

export const TEXT_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  TEXT_LENGTH: ofValues(1, 1, (text) => (Array.isArray(text) ? text.length : lettersOf(text!).length)),
  TEXT_PART: ofValues(2, 3, (text, start, length) => part(text!, start!, length)),
  TEXT_START: ofValues(2, 2, (text, count) => lettersOf(text!).slice(0, whole(count!)).join("")),
  TEXT_END: ofValues(2, 2, (text, count) => end(lettersOf(text!), whole(count!))),
  TEXT_POSITION: ofValues(2, 2, (text, sought) => position(textOf(text), textOf(sought))),
  TEXT_REPLACED: ofValues(3, 3, (text, sought, by) =>
    sought === "" ? textOf(text) : textOf(text).replaceAll(textOf(sought), () => textOf(by)),
  ),
  FIRST_KNOWN: {
    apply: (...values) => values.find((value) => value !== null && value !== undefined) ?? null,
    arguments: { min: 1, max: 1000 },
  },
  // Unlike `||`, CONCAT leaves out what is NULL.
  TEXTS_JOINED: {
    apply: (...values) =>
      values
        .filter((value) => value !== null && value !== undefined)
        .map(textOf)
        .join(""),
    arguments: { min: 1, max: 1000 },
  },
};

function lettersOf(text: SqlPrimitive): readonly string[] {
  return [...textOf(text)];
}

function whole(count: SqlPrimitive): number {
  const number = Number(count);
  if (!Number.isInteger(number)) throw new SqlError("syntax", `'${textOf(count)}' is no count of letters`);
  return number;
}

/** @param start counts from 1; a start before the first letter shortens the result */
function part(text: SqlPrimitive, start: SqlPrimitive, length: SqlPrimitive | undefined): string {
  const from = whole(start) - 1;
  const count = length === undefined ? Infinity : whole(length);
  if (count < 0) throw new SqlError("syntax", "the length of a part of a text is negative");
  return lettersOf(text)
    .slice(Math.max(from, 0), Math.max(from + count, 0))
    .join("");
}

function end(letters: readonly string[], count: number): string {
  return letters.slice(count < 0 ? -count : Math.max(letters.length - count, 0)).join("");
}

function position(text: string, sought: string): number {
  const at = text.indexOf(sought);
  return at < 0 ? 0 : lettersOf(text.slice(0, at)).length + 1;
}
