/** The members of which the schemas are made, and the type of an answer. */
import * as z from "zod";
import type { Presented } from "../../core/query/status-words.ts";

/** The type of an answer with this schema, read-only in depth. */
export type Answer<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>;
/** The type of a request with this schema, as a client writes it. */
export type RequestBody<Schema extends z.ZodType> = ReadOnly<z.input<Schema>>;
type ReadOnly<Value> = Value extends object ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> } : Value;

export const text = z.string();
export const maybeText = text.exactOptional();
export const whole = z.int();
export const texts = z.record(text, text);
/** A moment as the answers write it: RFC 3339 in UTC with nine digits after the point. */
export const moment = text.meta({ format: "date-time" });
export const datetime = z.iso.datetime();
export const duration = text.describe("A duration such as `1m 30s`.");
export const maybeDuration = duration.exactOptional();
/** A status that the document shows as any text. */
export const status = text as unknown as z.ZodType<Presented>;

/**
 * An object whose schema in the document has the members of `main` alone, and permits others.
 * @param others the other members of the answers, for their type
 */
export function abridged<Main extends z.ZodRawShape, Others extends z.ZodRawShape>(
  id: string,
  main: Main,
  _others: Others,
): z.ZodObject<Main & Others> {
  return z.looseObject(main).meta({ id }) as unknown as z.ZodObject<Main & Others>;
}

/** Absent and null are equivalent, because clients send either. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((given) => given ?? undefined);

/** A flag of a body. */
export const flag = (doc: string) => optional(z.boolean()).describe(doc);

/** A flag of a query string; false unless given. */
export const queryFlag = (doc: string) =>
  z
    .enum(["true", "false"])
    .optional()
    .transform((given) => given === "true")
    .describe(doc);
