/** Parses JSON bodies and query strings by a schema. Errors have the statuses that existing clients expect. */
import type * as z from "zod";
import { exceedsElements } from "../../../core/model/json-elements.ts";
import type { HttpRequest } from "../../http/message.ts";
import { PlainRefusal } from "./admin-request.ts";

/** Matches an unpaired surrogate only, because of the flag `u`. */
const HALF = /\p{Surrogate}/u;

/** The most elements of a body. Real requests have less than a tenth of this number. */
export const ELEMENTS_MAX = 20_000;

/** Checks of a body in addition to its schema. */
export interface BodyShape {
  /** True if numbers in arrays do not count as elements, because this body contains each value as an array of bytes. */
  readonly numbersAreFree?: boolean;
  /** Runs before the schema: for a long array, the schema would report every element. @throws PlainRefusal */
  readonly check?: (parsed: unknown) => void;
}

/**
 * @throws PlainRefusal 415 for another content type, 400 for invalid JSON or too many elements, 422 for JSON of another
 * shape
 */
export function readJsonBody<Schema extends z.ZodType>(
  request: HttpRequest,
  schema: Schema,
  { numbersAreFree = false, check }: BodyShape = {},
): z.output<Schema> {
  const mediaType = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (mediaType !== "application/json" && !/^application\/[^/]+\+json$/.test(mediaType)) {
    throw new PlainRefusal(415, "Expected request with `Content-Type: application/json`");
  }
  if (exceedsElements(request.body, ELEMENTS_MAX, numbersAreFree)) {
    throw new PlainRefusal(400, `The request body has more than ${ELEMENTS_MAX} elements`);
  }
  let parsed: unknown;
  try {
    parsed = parsedText(new TextDecoder("utf-8", { fatal: true }).decode(request.body));
  } catch (error) {
    throw new PlainRefusal(400, `Failed to parse the request body as JSON: ${(error as Error).message}`);
  }
  check?.(parsed);
  const read = schema.safeParse(parsed);
  if (read.success) return read.data;
  throw new PlainRefusal(
    422,
    `Failed to deserialize the JSON body into the target type: ${reasonOf(read.error.issues)}`,
  );
}

/**
 * Parses the JSON.
 * @throws Error for half of a surrogate pair, which cannot be stored, and for the name `__proto__`, which a schema would
 * silently drop
 */
function parsedText(text: string): unknown {
  if (!/\\u|__proto__/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name, value: unknown) => {
    if (HALF.test(name) || (typeof value === "string" && HALF.test(value))) {
      throw new Error("it contains half of a surrogate pair, which UTF-8 cannot represent");
    }
    if (name === "__proto__") throw new Error("the name '__proto__' is not allowed");
    return value;
  });
}

/** Like `readJsonBody`, but an empty body counts as an empty object. */
export function readOptionalJsonBody<Schema extends z.ZodType>(request: HttpRequest, schema: Schema): z.output<Schema> {
  return request.body.length === 0 ? (schema.parse({}) as z.output<Schema>) : readJsonBody(request, schema);
}

/** Parses the query string. If a parameter is repeated, its last value counts. @throws PlainRefusal 400 */
export function readQuery<Schema extends z.ZodType>(request: HttpRequest, schema: Schema): z.output<Schema> {
  const read = schema.safeParse(Object.fromEntries(new URLSearchParams(request.query)));
  if (read.success) return read.data;
  throw new PlainRefusal(400, `Failed to deserialize query string: ${reasonOf(read.error.issues)}`);
}

function reasonOf([first]: readonly z.core.$ZodIssue[]): string {
  if (first === undefined) return "unexpected shape";
  const path = first.path.map(String).join(".");
  return path === "" ? first.message : `${path}: ${first.message}`;
}
