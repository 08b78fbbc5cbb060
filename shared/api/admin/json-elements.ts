/**
 * Counts the elements of a JSON body before it is parsed: a few megabytes can contain a million elements, and each
 * costs work.
 */

/** The most elements of a body: names, texts, numbers and other values. Real requests have less than a tenth of this number. */
export const ELEMENTS_MAX = 20_000;

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
export function exceedsElements(body: Uint8Array, numbersAreFree = false): boolean {
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
    if (counts && ++elements > ELEMENTS_MAX) return true;
    // A digit begins or continues a row of numbers; any other byte except a comma ends the row.
    if (byte !== COMMA) isInNumbers = byte >= 0x30 && byte <= 0x39;
  }
  return false;
}
