/** Joins the parts of a body. */

/** The body in one piece; several parts are copied, a single part is not. */
export function whole(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
