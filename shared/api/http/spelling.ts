/** Finds second spellings of a path: a firewall that refuses one spelling would let the other pass. */

/** An escape of an ASCII letter or digit: no client writes one, in any language. */
const NEEDLESS = /%(?:3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;

/** @param segment an undecoded segment of a path @returns the escape of a letter or digit in it; undefined where there is none */
export function needlessEscape(segment: string): string | undefined {
  return NEEDLESS.exec(segment)?.[0];
}
