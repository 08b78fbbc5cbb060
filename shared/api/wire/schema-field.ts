/** A JSON schema as a field of a form. A schema that no other kind of field can show becomes a field of kind `json`. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Property {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

interface Described {
  readonly title?: string;
  readonly description?: string;
  /** Null is allowed beside the values of the kind. */
  readonly isNullable: boolean;
  readonly preset?: unknown;
}

export type FieldShape =
  | {
      readonly kind: "object";
      readonly properties: readonly Property[];
      /** The schema of further members; undefined if there may be none. */
      readonly more: Schema | undefined;
    }
  | { readonly kind: "array"; readonly items: Schema; readonly min: number; readonly max: number }
  | { readonly kind: "text"; readonly format?: string; readonly hint?: string }
  | { readonly kind: "number"; readonly isInteger: boolean; readonly hint?: string }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | { readonly kind: "variants"; readonly variants: readonly Schema[] }
  | { readonly kind: "null" }
  | { readonly kind: "json" };

export type Field = FieldShape & Described;

/** A longer chain of references counts as one that refers to itself. */
const REFERENCES_MAX = 16;

/** @param root the schema that `$ref` starts from */
export function fieldOf(given: unknown, root: unknown): Field {
  const schema = resolved(given, root);
  const options = listOf(schema["anyOf"] ?? schema["oneOf"]).map((option) => resolved(option, root));
  const types = typeof schema["type"] === "string" ? [schema["type"]] : listOf(schema["type"]);
  const rest = options.filter((option) => option["type"] !== "null" && option["const"] !== null);
  const isNullable = types.includes("null") || schema["nullable"] === true || rest.length < options.length;
  const own = { ...describedBy(schema), isNullable };
  if (rest.length === 1 && options.length > 0) {
    const { isNullable: inner, ...field } = fieldOf(rest[0], root);
    return { ...field, ...describedBy(schema), isNullable: isNullable || inner };
  }
  return { ...shapeOf(schema, rest, types), ...own };
}

function shapeOf(schema: Schema, variants: readonly Schema[], types: readonly unknown[]): FieldShape {
  if ("const" in schema) return { kind: "choice", values: [schema["const"]] };
  if (Array.isArray(schema["enum"])) {
    return { kind: "choice", values: (schema["enum"] as readonly unknown[]).filter((value) => value !== null) };
  }
  if (variants.length > 0) {
    const isChoice = variants.every((variant) => "const" in variant);
    return isChoice
      ? { kind: "choice", values: variants.map((variant) => variant["const"]) }
      : { kind: "variants", variants };
  }
  const type = types.filter((one) => one !== "null");
  if (type.length > 1) return { kind: "variants", variants: type.map((one) => ({ ...schema, type: one })) };
  return typedShape(schema, type[0] ?? impliedType(schema, types));
}

function typedShape(schema: Schema, type: unknown): FieldShape {
  switch (type) {
    case "object":
      return objectShape(schema);
    case "array":
      return isSchema(schema["items"])
        ? {
            kind: "array",
            items: schema["items"],
            min: countIn(schema["minItems"], 0),
            max: countIn(schema["maxItems"], Infinity),
          }
        : { kind: "json" };
    case "string":
      return { kind: "text", ...present({ format: textIn(schema["format"]), hint: textHint(schema) }) };
    case "integer":
    case "number":
      return { kind: "number", isInteger: type === "integer", ...present({ hint: numberHint(schema) }) };
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "null" };
    default:
      return { kind: "json" };
  }
}

function objectShape(schema: Schema): FieldShape {
  const required = new Set(listOf(schema["required"]));
  const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const more = schema["additionalProperties"];
  if (properties.length === 0 && !isSchema(more)) return { kind: "json" };
  return {
    kind: "object",
    properties: properties.map(([name, property]) => ({
      name,
      schema: isSchema(property) ? property : {},
      isRequired: required.has(name),
    })),
    more: isSchema(more) ? more : undefined,
  };
}

/** Follows local references and merges the parts of `allOf`. A reference that leads nowhere allows everything. */
export function resolved(given: unknown, root: unknown): Schema {
  let schema: Schema = isSchema(given) ? given : {};
  for (let count = 0; typeof schema["$ref"] === "string"; count++) {
    const target = count < REFERENCES_MAX ? at(root, schema["$ref"]) : undefined;
    const { $ref: _, ...beside } = schema;
    schema = isSchema(target) ? { ...target, ...beside } : beside;
  }
  const parts = listOf(schema["allOf"]);
  if (parts.length === 0) return schema;
  const { allOf: _, ...own } = schema;
  return [own, ...parts].map((part) => (part === own ? own : withoutParts(part, root))).reduce(merged);
}

/** Follows the reference of a part of an `allOf`. Omits the part's own `allOf`, which is rare and could refer to itself. */
function withoutParts(part: unknown, root: unknown): Schema {
  const { allOf: _, ...own } =
    isSchema(part) && "$ref" in part ? ((at(root, String(part["$ref"])) as Schema) ?? {}) : (part as Schema);
  return own;
}

function merged(a: Schema, b: Schema): Schema {
  const properties = { ...(a["properties"] as Schema | undefined), ...(b["properties"] as Schema | undefined) };
  const required = [...listOf(a["required"]), ...listOf(b["required"])];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** @param reference a reference within the schema, such as `#/$defs/Customer` */
function at(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    if (!isSchema(value) || !Object.hasOwn(value, unescaped(part))) return undefined;
    value = value[unescaped(part)];
  }
  return value;
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function impliedType(schema: Schema, types: readonly unknown[]): unknown {
  if (types.includes("null")) return "null";
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : undefined;
}

function describedBy(schema: Schema) {
  const example = listOf(schema["examples"])[0];
  return present({
    title: textIn(schema["title"]),
    description: textIn(schema["description"]),
    preset: schema["default"] ?? example,
  });
}

function numberHint({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): string | undefined {
  const words = [
    typeof minimum === "number" ? `at least ${minimum}` : undefined,
    typeof exclusiveMinimum === "number" ? `more than ${exclusiveMinimum}` : undefined,
    typeof maximum === "number" ? `at most ${maximum}` : undefined,
    typeof exclusiveMaximum === "number" ? `less than ${exclusiveMaximum}` : undefined,
    typeof multipleOf === "number" ? `a multiple of ${multipleOf}` : undefined,
  ];
  return joined(words);
}

/** The pattern is shown and not run: it comes from the deployment, and may take unbounded time. */
function textHint({ minLength, maxLength, pattern }: Schema): string | undefined {
  const words = [
    typeof minLength === "number" ? `at least ${counted(minLength)}` : undefined,
    typeof maxLength === "number" ? `at most ${counted(maxLength)}` : undefined,
    typeof pattern === "string" ? `pattern ${pattern}` : undefined,
  ];
  return joined(words);
}

function counted(characters: number): string {
  return `${characters} ${characters === 1 ? "character" : "characters"}`;
}

function joined(words: readonly (string | undefined)[]): string | undefined {
  const known = words.filter((word) => word !== undefined);
  return known.length === 0 ? undefined : known.join(", ");
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function countIn(value: unknown, absent: number): number {
  return typeof value === "number" ? value : absent;
}

function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
