/**
 * JSON from outside is counted before it is parsed: a few megabytes can contain a million elements, and each costs work and memory
 * at once. An element is a name, a text, a number or another value.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = 0x20;
const BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/**
 * Counts commas, colons and opening brackets: each element but the first of its container follows a comma, each value of
 * a member follows a colon, and each container begins with a bracket.
 * @param body the body in UTF-8; an invalid body is counted in the same way
 * @param numbersAreFree whether numbers in arrays, which represent bytes, do not count; the size of the body bounds them
 */
export function exceedsElements(body: Uint8Array, elementsMax: number, numbersAreFree = false): boolean {
  let elements = 0;
  let isText = false;
  let isInNumbers = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
      continue;
    }
    if (byte === QUOTE) isText = true;
    if (byte <= OPENING) continue;
    const counts = byte === COMMA ? !(numbersAreFree && isInNumbers) : byte === COLON || BRACKETS.has(byte);
    if (counts && ++elements > elementsMax) return true;
    // A digit begins or continues a row of numbers; any other byte except a comma ends the row.
    if (byte !== COMMA) isInNumbers = byte >= 0x30 && byte <= 0x39;
  }
  return false;
}

export class TooManyElementsError extends Error {
  override name = "TooManyElementsError";
}

/**
 * Parses JSON in UTF-8 that came from outside.
 * @throws TooManyElementsError before anything is decoded
 * @throws Error if the bytes are no JSON in UTF-8
 */
export function parseJsonFromOutside(body: Uint8Array, elementsMax: number): unknown {
  if (exceedsElements(body, elementsMax)) throw new TooManyElementsError(`it has more than ${elementsMax} elements`);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
}
