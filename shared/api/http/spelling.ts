/**
 * Finds needless escapes in a path. A firewall that blocks the plain spelling of a path lets the escaped spelling pass.
 */

/** An escaped ASCII letter or digit; no client library writes one. */
const NEEDLESS = /%(?:3\d|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;

/** @param segment an undecoded segment of a path @returns the first escaped letter or digit; undefined if there is none */
export function needlessEscape(segment: string): string | undefined {
  return NEEDLESS.exec(segment)?.[0];
}
