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

/** @param at a member's name, or the index of an element. @returns undefined if the text is no JSON, or has no such part */
function partOf(json: SqlPrimitive | undefined, at: SqlPrimitive | undefined): unknown {
  if (isNothing(json) || isNothing(at)) return undefined;
  const whole = parsed(textOf(json));
  if (Array.isArray(whole)) return typeof at === "string" ? undefined : whole.at(Number(at));
  if (typeof whole !== "object" || whole === null || typeof at !== "string" || !Object.hasOwn(whole, at))
    return undefined;
  return (whole as Record<string, unknown>)[at];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function asJson(part: unknown): SqlPrimitive {
  return part === undefined ? null : JSON.stringify(part);
}

function asText(part: unknown): SqlPrimitive {
  if (part === undefined || part === null) return null;
  return typeof part === "string" ? part : JSON.stringify(part);
}

function isNothing(value: SqlPrimitive | undefined): value is null | undefined {
  return value === null || value === undefined;
}
