/** The three bytes before every stored record: format version, codec and encryption (ADR 0004). */
import { StoreError } from "./ports/table.ts";

const FORMAT_VERSION = 1;
/** 0: as it is. Compression takes 1 and up. */
const CODEC_PLAIN = 0;
/** 0: none. Encryption takes 1 and up. */
const ENCRYPTION_NONE = 0;

export const ENVELOPE_BYTES = 3;

/** @param record encoded with `ENVELOPE_BYTES` left free in front */
export function sealed(record: Uint8Array): Uint8Array {
  record[0] = FORMAT_VERSION;
  record[1] = CODEC_PLAIN;
  record[2] = ENCRYPTION_NONE;
  return record;
}

/** @throws StoreError for a record that this version cannot read */
export function opened(record: unknown, what: string): Uint8Array {
  if (!(record instanceof Uint8Array) || record.length < ENVELOPE_BYTES) throw new StoreError(`${what} is no record`);
  const [version, codec, encryption] = record;
  if (version !== FORMAT_VERSION)
    throw new StoreError(`${what} has format ${version}, this version reads ${FORMAT_VERSION}`);
  if (codec !== CODEC_PLAIN)
    throw new StoreError(`${what} is packed with codec ${codec}, which this version does not know`);
  if (encryption !== ENCRYPTION_NONE)
    throw new StoreError(`${what} is encrypted in way ${encryption}, which this version does not know`);
  return record.subarray(ENVELOPE_BYTES);
}
