/** The port of identity: random bytes, and bytes derived under the secret of the environment (I7). */

export interface IdSource {
  /** Cryptographically random bytes. */
  random(size: number): Uint8Array;
  /**
   * Derives bytes from parts. In one environment, the same parts give the same bytes. A party without the environment's secret
   * cannot compute the bytes. Parts are length-prefixed, so ("ab","c") differs from ("a","bc").
   * @param size at most 32
   */
  derive(parts: readonly (string | Uint8Array)[], size: number): Uint8Array;
}

/** A random number from 0 to 1, for the spread of retries. */
export function jitter({ ids }: { readonly ids: IdSource }): number {
  return ids.random(1)[0]! / 255;
}
