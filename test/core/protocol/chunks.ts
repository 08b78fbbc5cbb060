/** Cuts bytes into chunks at any places. */
import fc from "fast-check";

/** Places as fractions of the length; a repeated place makes an empty chunk. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    chunks.push(bytes.slice(from, end));
    from = end;
  }
  return chunks;
}
