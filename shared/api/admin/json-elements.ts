/** Counts the elements of a JSON body before anything is made of them: a few megabytes can hold a million, and each is looked at. */

/** Of names, texts, numbers, and what else stands by itself; no request that clients send has a tenth of it. */
export const ELEMENTS_MAX = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = 0x20;
const BRACKETS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/**
 * Each element but the first of its container stands behind a comma, each value of a member behind a colon, and each container
 * begins with a bracket.
 * @param body in UTF-8; one that is no JSON is counted in the same way
 * @param numbersAreFree the bytes of values come as arrays of numbers, which are bounded by the size of the body
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
    // Whatever is no digit ends a row of numbers.
    if (byte !== COMMA) isInNumbers = byte >= 0x30 && byte <= 0x39;
  }
  return false;
}
