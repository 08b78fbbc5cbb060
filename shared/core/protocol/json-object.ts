/** Reads the members of an object in a JSON document. Errors name the place in the document. */

/** A part of the document has the wrong shape. `path` is the place of this part, such as `$.services[0].name`. */
export class JsonShapeError extends Error {
  override name = "JsonShapeError";
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.path = path;
  }
}

/** @param found undefined if the part is missing */
export function unlike(path: string, found: unknown, expected: string): JsonShapeError {
  return new JsonShapeError(path, `is ${shown(found)}, not ${expected}`);
}

const QUOTE_MAX_CHARACTERS = 80;

/** A member that is null counts as absent. Unknown members are ignored, because newer SDKs may send more. */
export class JsonObject {
  readonly path: string;
  readonly #members: Readonly<Record<string, unknown>>;

  /** @throws JsonShapeError if the value is not an object */
  constructor(value: unknown, path: string) {
    if (!isRecord(value)) throw unlike(path, value, "an object");
    this.#members = value;
    this.path = path;
  }

  pathOf(name: string): string {
    return `${this.path}.${name}`;
  }

  /** The member without a check of its type; undefined if absent. */
  any(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  text(name: string): string | undefined {
    return this.#member(name, "a string", (value) => typeof value === "string") as string | undefined;
  }

  flag(name: string): boolean | undefined {
    return this.#member(name, "true or false", (value) => typeof value === "boolean") as boolean | undefined;
  }

  /** A whole number of at least 0. A larger one than 2^53-1, as SDKs with 64-bit numbers send for "without end", counts as that. */
  count(name: string): number | undefined {
    const fits = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
    const count = this.#member(name, "a whole number from 0 on", fits) as number | undefined;
    return count === undefined ? undefined : Math.min(count, Number.MAX_SAFE_INTEGER);
  }

  positive(name: string): number | undefined {
    const fits = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value > 0;
    return this.#member(name, "a number above 0", fits) as number | undefined;
  }

  oneOf<W extends string>(name: string, words: readonly W[]): W | undefined {
    const expected = words.map((word) => `"${word}"`).join(" or ");
    return this.#member(name, expected, (value) => words.includes(value as W)) as W | undefined;
  }

  object(name: string): JsonObject | undefined {
    const value = this.any(name);
    return value === undefined ? undefined : new JsonObject(value, this.pathOf(name));
  }

  /** A list of objects; empty if absent. */
  objects(name: string): readonly JsonObject[] {
    const list = this.any(name) ?? [];
    if (!Array.isArray(list)) throw unlike(this.pathOf(name), list, "a list");
    return list.map((value, position) => new JsonObject(value, `${this.pathOf(name)}[${position}]`));
  }

  /** An object whose members are all strings. */
  texts(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (!isRecord(value)) throw unlike(this.pathOf(name), value, "an object");
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string") throw unlike(`${this.pathOf(name)}.${key}`, text, "a string");
    }
    return value as Readonly<Record<string, string>>;
  }

  #member(name: string, expected: string, fits: (value: unknown) => boolean): unknown {
    const value = this.any(name);
    if (value !== undefined && !fits(value)) throw unlike(this.pathOf(name), value, expected);
    return value;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  const text = JSON.stringify(value);
  return text.length <= QUOTE_MAX_CHARACTERS ? text : `${text.slice(0, QUOTE_MAX_CHARACTERS)}…`;
}
