/** The three bytes before every stored record: format version, codec and encryption (ADR 0004). */
import { StoreError } from "../ports/table.ts";

const FORMAT_VERSION = 1;
/** 0 means no encryption; 1 and up are free for ciphers. */
const ENCRYPTION_NONE = 0;

/** The content after the envelope: the plain record, the packed record, or the name of its pieces (ADR 0015). */
export const CODEC = { plain: 0, packed: 1, pieces: 2 } as const;

export const ENVELOPE_BYTES = 3;

/** @param record the encoded record with `ENVELOPE_BYTES` free bytes in front */
export function sealed(record: Uint8Array, codec: (typeof CODEC)[keyof typeof CODEC] = CODEC.plain): Uint8Array {
  record[0] = FORMAT_VERSION;
  record[1] = codec;
  record[2] = ENCRYPTION_NONE;
  return record;
}

/** Copies bytes behind a new envelope. */
export function enveloped(bytes: Uint8Array, codec: (typeof CODEC)[keyof typeof CODEC]): Uint8Array {
  const record = new Uint8Array(ENVELOPE_BYTES + bytes.length);
  record.set(bytes, ENVELOPE_BYTES);
  return sealed(record, codec);
}

/** True for a record that `opened` reads without unpacking or joining; also for an item that has no record. */
export function isPlain(record: unknown): boolean {
  return !(record instanceof Uint8Array) || record[1] === CODEC.plain;
}

/** True if the record is stored in pieces. */
export function isInPieces(record: unknown): boolean {
  return record instanceof Uint8Array && record[1] === CODEC.pieces;
}

/**
 * A segment contains its writer's token, and a record in pieces contains a random name. Two such records with equal bytes
 * come from one write.
 */
export function sameBytes(there: unknown, ours: unknown): boolean {
  if (!(there instanceof Uint8Array) || !(ours instanceof Uint8Array)) return false;
  return there.length === ours.length && there.every((byte, at) => byte === ours[at]);
}

/** @throws StoreError for a record that this version cannot read, or that is packed or in pieces */
export function opened(record: unknown, what: string): Uint8Array {
  return contentOf(record, CODEC.plain, what);
}

/** @throws StoreError for a record that this version cannot read, or that has another codec */
export function contentOf(record: unknown, expected: number, what: string): Uint8Array {
  if (!(record instanceof Uint8Array) || record.length < ENVELOPE_BYTES) throw new StoreError(`${what} is no record`);
  const [version, codec, encryption] = record;
  if (version !== FORMAT_VERSION)
    throw new StoreError(`${what} has format ${version}, this version reads ${FORMAT_VERSION}`);
  if (codec !== expected)
    throw new StoreError(`${what} is packed with codec ${codec}, which this version does not know`);
  if (encryption !== ENCRYPTION_NONE)
    throw new StoreError(`${what} is encrypted in way ${encryption}, which this version does not know`);
  return record.subarray(ENVELOPE_BYTES);
}
