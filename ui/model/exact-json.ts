/** Reads and writes JSON without loss of digits: a number that a double cannot hold exactly keeps its own text. */

/** A number as its text, because `Number` would change it. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A string literal, which is skipped, or a number that has so many characters that digits could be lost. */
const LONG_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{14,}/gs;
const HAS_LONG_NUMBER = /\d[\d.eE+-]{14}/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The range of the characters for private use. A character of this range that does not occur in the text marks the numbers. */
const [FIRST_MARK, LAST_MARK] = [0xe000, 0xf8ff];

/** @throws SyntaxError */
export function parseExact(text: string): unknown {
  if (!HAS_LONG_NUMBER.test(text)) return JSON.parse(text);
  const mark = markAbsentFrom(text);
  const marked = text.replace(LONG_NUMBERS, (token) => (JSON_NUMBER.test(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? numberOf(value.slice(mark.length)) : value,
  ) as unknown;
}

/** @returns a double; an `ExactNumber` if the double would not have the same text */
export function numberOf(text: string): number | ExactNumber {
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

/** Indented by two spaces. Members without a value are left out. */
export function stringifyExact(value: unknown, indent = ""): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => stringifyExact(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}: ${stringifyExact(member, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

function markAbsentFrom(text: string): string {
  for (let code = FIRST_MARK; code < LAST_MARK; code++) {
    const [char, hex] = [String.fromCharCode(code), code.toString(16)];
    if (!text.includes(char) && !text.includes(`\\u${hex}`) && !text.includes(`\\u${hex.toUpperCase()}`)) return char;
  }
  throw new SyntaxError("The text uses all characters for private use.");
}
