/** Cuts texts that deployments and handlers choose, so that Stepwell stores, shows and logs only texts of bounded length. */

const ELLIPSIS = "…";
const ELLIPSIS_BYTES = 3;
/** A unit of UTF-16 takes at most three bytes of UTF-8. */
const UNIT_MAX_BYTES = 3;

const encoder = new TextEncoder();

/**
 * Never cuts a character in half. Reads no more of the text than fits.
 * @param maxBytes the limit in bytes of UTF-8, at least three
 * @returns the text, or its beginning with an ellipsis, in at most `maxBytes` bytes
 */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * UNIT_MAX_BYTES <= maxBytes) return text;
  if (encoder.encodeInto(text, new Uint8Array(maxBytes)).read === text.length) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes - ELLIPSIS_BYTES));
  return `${text.slice(0, read)}${ELLIPSIS}`;
}
