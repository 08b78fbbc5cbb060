/** Defines additional SQL functions, and names the SQL engine's functions that statements must not use. */
import type { SqlPrimitive, UserDefinedFunction } from "squirreling";
import { CAST_FUNCTIONS } from "./casts.ts";
import { JSON_FUNCTIONS } from "./json-functions.ts";
import { isLike, LIKE } from "./like.ts";
import { momentFunctionsAt } from "./moment-expressions.ts";
import { PART_FUNCTIONS } from "./moment-parts.ts";
import { NUMBER_FUNCTIONS } from "./numbers.ts";
import { ROW_KEY_FUNCTIONS } from "./row-keys.ts";
import { TEXT_FUNCTIONS } from "./texts.ts";
import { TRUTH_FUNCTIONS } from "./truths.ts";
import { textOf } from "./values.ts";

/** The match of a regular expression can take unbounded time, and Stepwell has no use for the functions of geometry (`ST_`). */
const REFUSED = /^(REGEXP_|ST_)/i;

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
    ...PART_FUNCTIONS,
    ...CAST_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...ROW_KEY_FUNCTIONS,
    ...TEXT_FUNCTIONS,
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
