/** The port of identity: fresh random bytes, and bytes derived under the environment's secret (I7). */

export interface IdSource {
  /** Cryptographically random bytes. */
  random(size: number): Uint8Array;
  /**
   * Derives bytes from parts: the same parts give the same bytes in one environment, and nobody without the
   * environment's secret can compute them. Parts are length-prefixed, so ("ab","c") differs from ("a","bc").
   * @param size at most 32
   */
  derive(parts: readonly (string | Uint8Array)[], size: number): Uint8Array;
}
