/** Formats JSON for people without changing a value. */

/** Numbers that a parser may round: integers beyond 2^53 have at least sixteen digits, and exponents may overflow. */
const MAY_ROUND = /\d{16}|\d[eE]/;

/** @returns the text unchanged if it is not JSON, or if parsing could change one of its numbers */
export function prettyJson(text: string): string {
  if (MAY_ROUND.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @returns undefined for bytes that are not UTF-8 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
