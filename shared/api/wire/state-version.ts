/** The version of the state of a key, which server and clients compute alike. */

/**
 * SHA-256 over the sorted entries, each with its index and with markers between its parts. The reference's CLI computes
 * the same version.
 */
export async function stateVersion(values: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const sorted = [...values].map(([key, value]) => [encoder.encode(key), value] as const).sort(byBytes);
  for (const [at, [key, value]] of sorted.entries()) {
    const index = new Uint8Array(8);
    new DataView(index.buffer).setBigUint64(0, BigInt(at));
    parts.push(index, Uint8Array.of(1), key, Uint8Array.of(2), value, Uint8Array.of(3));
  }
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function byBytes([a]: readonly [Uint8Array, Uint8Array], [b]: readonly [Uint8Array, Uint8Array]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return a.length - b.length;
}
