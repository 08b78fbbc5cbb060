/** The checksum of LevelDB's files: CRC-32C, masked (google/leveldb, util/crc32c.h). */

const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;
/** Tables for eight bytes at a time, which takes a fifth of the time of one byte at a time. */
const TABLES: readonly Uint32Array[] = tables();

/** @returns the masked checksum of the bytes from `from` up to, not including, `to` */
export function maskedChecksum(bytes: Uint8Array, from: number, to: number): number {
  return masked(extended(0, bytes, from, to));
}

/** The checksum of one byte and then of the bytes from `from` up to `to`: LevelDB's logs put the type of a record before its data. */
export function maskedChecksumAfter(first: number, bytes: Uint8Array, from: number, to: number): number {
  return masked(extended(extended(0, Uint8Array.of(first), 0, 1), bytes, from, to));
}

function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

function extended(crc: number, bytes: Uint8Array, from: number, to: number): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let c = ~crc;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    c ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    c =
      t7[c & 255]! ^
      t6[(c >>> 8) & 255]! ^
      t5[(c >>> 16) & 255]! ^
      t4[c >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < to; at++) c = t0[(c ^ bytes[at]!) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}

function tables(): Uint32Array[] {
  const made = Array.from({ length: 8 }, () => new Uint32Array(256));
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ POLYNOMIAL : c >>> 1;
    made[0]![n] = c;
  }
  for (let n = 0; n < 256; n++) {
    for (let table = 1; table < 8; table++) {
      const before = made[table - 1]![n]!;
      made[table]![n] = made[0]![before & 255]! ^ (before >>> 8);
    }
  }
  return made;
}
