/** The operators `->` and `->>` over texts of JSON, and `||` over texts. */
import type { SqlPrimitive, UserDefinedFunction } from "squirreling";
import { textOf } from "./values.ts";

const two = { min: 2, max: 2 };

export const JSON_FUNCTIONS: Readonly<Record<string, UserDefinedFunction>> = {
  JSON_PART: { apply: (json, at) => asJson(partOf(json, at)), arguments: two },
  JSON_TEXT: { apply: (json, at) => asText(partOf(json, at)), arguments: two },
  TEXT_JOIN: {
    apply: (left, right) => (isNothing(left) || isNothing(right) ? null : textOf(left) + textOf(right)),
    arguments: two,
  },
};

/**
 * A value from a JSON text. If `isMarked` is true, each string of the text has the prefix `s` in the value, and each number is
 * a string there: its digits with the prefix `n`.
 */
interface Json {
  readonly value: unknown;
  readonly isMarked: boolean;
}

/** @param at a member's name, or the index of an element. @returns undefined if the text is no JSON, or has no such part */
function partOf(json: SqlPrimitive | undefined, at: SqlPrimitive | undefined): Json | undefined {
  if (isNothing(json) || isNothing(at)) return undefined;
  const { value: whole, isMarked } = parsed(textOf(json));
  if (Array.isArray(whole)) {
    const value: unknown = typeof at === "string" ? undefined : whole.at(Number(at));
    return value === undefined ? undefined : { value, isMarked };
  }
  if (typeof whole !== "object" || whole === null || typeof at !== "string") return undefined;
  const name = isMarked ? `s${at}` : at;
  return Object.hasOwn(whole, name) ? { value: (whole as Record<string, unknown>)[name], isMarked } : undefined;
}

/** A number with so many digits may have no exact value in JavaScript. */
const LONG_NUMBER = /\d[\d.]{15}/;
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[^])*"?|-?\d[\d.eE+-]*/g;

function parsed(json: string): Json {
  try {
    const value: unknown = JSON.parse(json);
    return LONG_NUMBER.test(json) ? { value: JSON.parse(marked(json)), isMarked: true } : { value, isMarked: false };
  } catch {
    return { value: undefined, isMarked: false };
  }
}

function marked(json: string): string {
  return json.replaceAll(TEXT_OR_NUMBER, (one) => (one.startsWith('"') ? `"s${one.slice(1)}` : `"n${one}"`));
}

function unmarked(json: string): string {
  return json.replaceAll(TEXT_OR_NUMBER, (one) => (one.startsWith('"n') ? one.slice(2, -1) : `"${one.slice(2)}`));
}

function asJson(part: Json | undefined): SqlPrimitive {
  if (part === undefined) return null;
  const json = JSON.stringify(part.value);
  return part.isMarked ? unmarked(json) : json;
}

function asText(part: Json | undefined): SqlPrimitive {
  if (part === undefined || part.value === null) return null;
  if (typeof part.value !== "string") return asJson(part);
  return part.isMarked ? part.value.slice(1) : part.value;
}

function isNothing(value: SqlPrimitive | undefined): value is null | undefined {
  return value === null || value === undefined;
}
