/** The faults of a value, by the fields of a schema. */
import { ExactNumber } from "./exact-json.ts";
import { fieldOf, isSchema, type Field } from "../../shared/api/wire/schema-field.ts";

/** A schema that refers to itself would be checked without end. */
const DEPTH_MAX = 8;
const PROBLEMS_MAX = 20;

export interface ValueProblem {
  /** Such as `items[0].sku`; empty for the whole value. */
  readonly path: string;
  readonly words: string;
}

/** Advice only: the handler decides, and the check knows only some rules of a schema. */
export function problemsOf(value: unknown, schema: unknown): readonly ValueProblem[] {
  const problems: ValueProblem[] = [];
  check({ value, schema, path: "", depth: 0 }, schema, problems);
  return problems.slice(0, PROBLEMS_MAX);
}

interface Checked {
  readonly value: unknown;
  readonly schema: unknown;
  readonly path: string;
  readonly depth: number;
}

function check({ value, schema, path, depth }: Checked, root: unknown, problems: ValueProblem[]): void {
  if (depth > DEPTH_MAX || problems.length >= PROBLEMS_MAX) return;
  const field = fieldOf(schema, root);
  if (value === null && field.isNullable) return;
  const words = misfit(field, value);
  if (words !== undefined) {
    problems.push({ path, words });
    return;
  }
  if (field.kind === "object" && isSchema(value)) {
    for (const { name, schema: property, isRequired } of field.properties) {
      const inner = path === "" ? name : `${path}.${name}`;
      if (Object.hasOwn(value, name)) {
        check({ value: value[name], schema: property, path: inner, depth: depth + 1 }, root, problems);
      } else if (isRequired) problems.push({ path: inner, words: "is required" });
    }
  }
  if (field.kind === "array" && Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      check({ value: item, schema: field.items, path: `${path}[${at}]`, depth: depth + 1 }, root, problems);
    }
  }
}

/** Does not look at inner fields. @returns the fault in words; undefined if the value itself fits the field */
function misfit(field: Field, value: unknown): string | undefined {
  const isNumber = typeof value === "number" || value instanceof ExactNumber;
  switch (field.kind) {
    case "object":
      return isSchema(value) && !isNumber ? undefined : "is no object";
    case "array": {
      if (!Array.isArray(value)) return "is no list";
      if (value.length < field.min) return `has fewer than ${field.min} items`;
      return value.length > field.max ? `has more than ${field.max} items` : undefined;
    }
    case "text":
      return typeof value === "string" ? undefined : "is no text";
    case "number":
      if (!isNumber) return "is no number";
      return field.isInteger && typeof value === "number" && !Number.isInteger(value) ? "is no integer" : undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : "is neither true nor false";
    case "choice":
      return field.values.some((one) => JSON.stringify(one) === JSON.stringify(value))
        ? undefined
        : "is none of the values of the schema";
    case "null":
      return value === null ? undefined : "is not null";
    case "variants":
    case "json":
      return undefined;
  }
}

/** The variant that fits the value best: the first one with the fewest problems. */
export function variantOf(variants: readonly unknown[], value: unknown, root: unknown): number {
  const counts = variants.map((variant) => {
    const problems: ValueProblem[] = [];
    check({ value, schema: variant, path: "", depth: 0 }, root, problems);
    return problems.length;
  });
  return counts.indexOf(Math.min(...counts));
}
