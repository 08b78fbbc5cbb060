/** The operators `->` and `->>` over texts of JSON, and the functions of JSON. */
import { SqlError } from "../../engine/ports/sql.ts";
import { textOf, type Known, type Value } from "./values.ts";

/**
 * A value from a JSON text. If `isMarked` is true, each string of the text has the prefix `s` in the value, and each number is
 * a string there: its digits with the prefix `n`.
 */
interface Json {
  readonly value: unknown;
  readonly isMarked: boolean;
}

/** @param at a member's name, or the index of an element. @returns the part as JSON; NULL if there is no such part */
export function jsonPart(json: string, at: Known): Value {
  const part = partOf(parsed(json), at);
  return part === undefined ? null : asJson(part);
}

/** Like `jsonPart`, but returns a string without its quotes, and NULL for the value null. */
export function jsonText(json: string, at: Known): Value {
  const part = partOf(parsed(json), at);
  return part === undefined ? null : asText(part);
}

/** @param path such as `$.a.b[0]` @throws SqlError if the text is no JSON */
export function jsonAt(json: string, path: string): Value {
  let part: Json | undefined = parsed(checked(json));
  for (const [, name, index] of path.replace(/^\$/, "").matchAll(/\.?([^.[\]]+)|\[(\d+)\]/g))
    part = part && partOf(part, name ?? Number(index));
  return part === undefined ? null : asText(part);
}

/** @throws SqlError if the text is no JSON */
export function jsonType(json: string): string {
  const { value } = parsed(checked(json));
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** @returns NULL if the text is no array. @throws SqlError if the text is no JSON */
export function jsonLength(json: string): Value {
  const { value } = parsed(checked(json));
  return Array.isArray(value) ? value.length : null;
}

export function isJson(json: string): boolean {
  return parsed(json).value !== undefined;
}

function checked(json: string): string {
  if (!isJson(json)) throw new SqlError("syntax", "the argument is no JSON");
  return json;
}

function partOf({ value: whole, isMarked }: Json, at: Known): Json | undefined {
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

/** @returns undefined as the value if the text is no JSON */
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

function asJson({ value, isMarked }: Json): string {
  const json = JSON.stringify(value);
  return isMarked ? unmarked(json) : json;
}

function asText(part: Json): Value {
  if (part.value === null) return null;
  if (typeof part.value !== "string") return asJson(part);
  return part.isMarked ? part.value.slice(1) : part.value;
}

/** An object of JSON from names and values. @throws SqlError for a value without a name */
export function jsonObject(parts: readonly Value[]): string {
  if (parts.length % 2 !== 0) throw new SqlError("syntax", "json_object needs a value for each name");
  const members: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const value = parts[at + 1]!;
    const json = typeof value === "bigint" ? String(value) : JSON.stringify(value ?? null);
    members.push(`${JSON.stringify(textOf(parts[at] ?? ""))}:${json}`);
  }
  return `{${members.join(",")}}`;
}
