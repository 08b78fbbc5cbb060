/** The port for lossless compression of records. */

export interface Codec {
  /** @returns bytes from which `unpack` restores the input exactly; they may be longer than the input */
  pack(bytes: Uint8Array): Promise<Uint8Array>;
  /** @throws StoreError for bytes that `pack` did not make */
  unpack(packed: Uint8Array): Promise<Uint8Array>;
}
