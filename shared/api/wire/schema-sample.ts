/** A sample of a JSON schema: a value that a reader starts from, for a form or for a first call. */
import { fieldOf } from "./schema-field.ts";

/** A schema that refers to itself would have an endless sample. */
const DEPTH_MAX = 8;
/** A schema whose members refer to each other would have a sample that grows by powers. */
const VALUES_MAX = 500;
const ITEMS_MAX = 3;
const TEXT = "Ada";
const NUMBER = 1;

/**
 * A value with all required members and with the schema's defaults; optional members are left out. The handler may still refuse it.
 * @param root the schema that `$ref` starts from
 */
export function sampleOf(schema: unknown, root: unknown = schema): unknown {
  return sampleAt(schema, root, { depth: 0, room: { left: VALUES_MAX } });
}

interface Place {
  readonly depth: number;
  /** The number of values that the whole sample may still get. */
  readonly room: { left: number };
}

function sampleAt(schema: unknown, root: unknown, { depth, room }: Place): unknown {
  const field = fieldOf(schema, root);
  room.left -= 1;
  if (field.preset !== undefined) return field.preset;
  if (field.isNullable || depth > DEPTH_MAX || room.left < 0) return null;
  const inner = { depth: depth + 1, room };
  switch (field.kind) {
    case "object":
      return Object.fromEntries(
        field.properties
          .filter(({ isRequired, schema: property }) => isRequired || fieldOf(property, root).preset !== undefined)
          .slice(0, VALUES_MAX)
          .map(({ name, schema: property }) => [name, sampleAt(property, root, inner)]),
      );
    case "array":
      return Array.from({ length: Math.min(field.min, ITEMS_MAX) }, () => sampleAt(field.items, root, inner));
    case "text":
      return sampleText(field.format);
    case "number":
      return NUMBER;
    case "boolean":
      return true;
    case "choice":
      return field.values[0] ?? null;
    case "variants":
      return sampleAt(field.variants[0], root, inner);
    case "null":
      return null;
    case "json":
      return {};
  }
}

function sampleText(format: string | undefined): string {
  switch (format) {
    case "date-time":
      return "2026-01-01T00:00:00Z";
    case "date":
      return "2026-01-01";
    case "time":
      return "00:00:00Z";
    case "email":
      return "ann@example.com";
    case "uri":
    case "url":
      return "https://example.com";
    case "uuid":
      return "00000000-0000-4000-8000-000000000000";
    default:
      return TEXT;
  }
}
