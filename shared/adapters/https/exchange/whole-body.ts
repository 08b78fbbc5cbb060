/** A body that came in parts, as one piece. */

/** The parts of a body as one piece, copied only where there are several. */
export function whole(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
