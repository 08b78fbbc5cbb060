/** The port of compression: fewer bytes for a record, and the same bytes back. */

export interface Codec {
  /** @returns what `unpack` turns back into exactly these bytes; more of them where there is nothing to gain */
  pack(bytes: Uint8Array): Promise<Uint8Array>;
  /** @throws StoreError for what `pack` never made */
  unpack(packed: Uint8Array): Promise<Uint8Array>;
}
