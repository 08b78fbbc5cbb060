/**
 * Checks every block of a table of LevelDB against its checksum (google/leveldb, doc/table_format.md). LevelDB reads blocks without
 * this check, so a damaged block would give wrong values, or hide entries.
 */
import { ByteReader, fixed32, FormatError } from "./byte-reader.ts";
import { maskedChecksum } from "./checksum.ts";

const FOOTER_BYTES = 48;
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb];
/** The type of the block and its checksum. */
const TRAILER_BYTES = 5;
const PLAIN = 0;
const SNAPPY = 1;
/** No index of a table of some megabytes is larger. */
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** @throws FormatError that says what is damaged */
export function checkTable(bytes: Uint8Array): void {
  const footerAt = bytes.length - FOOTER_BYTES;
  if (footerAt < 0 || MAGIC.some((byte, at) => bytes[bytes.length - MAGIC.length + at] !== byte))
    throw new FormatError("the end is not that of a table");
  const footer = new ByteReader(bytes, footerAt);
  const [metaIndex, index] = [handleIn(footer), handleIn(footer)];
  for (const block of [metaIndex, index])
    for (const value of valuesOf(contentOf(bytes, block))) checkBlock(bytes, handleIn(new ByteReader(value)));
}

function handleIn(reader: ByteReader): Handle {
  return { offset: reader.varint(), size: reader.varint() };
}

function checkBlock(bytes: Uint8Array, { offset, size }: Handle): void {
  const end = offset + size;
  if (end + TRAILER_BYTES > bytes.length) throw new FormatError(`the block at byte ${offset} ends beyond the file`);
  if (maskedChecksum(bytes, offset, end + 1) !== fixed32(bytes, end + 1))
    throw new FormatError(`the block at byte ${offset} does not match its checksum`);
}

function contentOf(bytes: Uint8Array, handle: Handle): Uint8Array {
  checkBlock(bytes, handle);
  const end = handle.offset + handle.size;
  const stored = bytes.subarray(handle.offset, end);
  const type = bytes[end]!;
  if (type === PLAIN) return stored;
  if (type === SNAPPY) return unpacked(stored);
  throw new FormatError(`the block at byte ${handle.offset} is packed in an unknown way`);
}

/** @returns the values of the entries of a block; the keys are not needed */
function* valuesOf(block: Uint8Array): Generator<Uint8Array> {
  const entriesEnd = block.length - 4 - 4 * (block.length < 4 ? 0 : fixed32(block, block.length - 4));
  if (entriesEnd < 0) throw new FormatError("a block is too small for its restarts");
  const reader = new ByteReader(block.subarray(0, entriesEnd));
  while (!reader.isAtEnd) {
    reader.varint();
    const [ownKeyBytes, valueBytes] = [reader.varint(), reader.varint()];
    reader.bytes(ownKeyBytes);
    yield reader.bytes(valueBytes);
  }
}

/** Unpacks the Snappy format (google/snappy, format_description.txt). */
function unpacked(stored: Uint8Array): Uint8Array {
  const reader = new ByteReader(stored);
  const length = reader.varint();
  if (length > UNPACKED_MAX_BYTES) throw new FormatError("a block is too large");
  const result = new Uint8Array(length);
  let at = 0;
  while (!reader.isAtEnd) {
    const tag = reader.byte();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >>> 2;
      const bytes = reader.bytes((short < 60 ? short : little(reader, short - 59)) + 1);
      if (bytes.length > length - at) throw new FormatError("a block is longer than it says");
      result.set(bytes, at);
      at += bytes.length;
      continue;
    }
    const size = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const back = kind === 1 ? ((tag >>> 5) << 8) | reader.byte() : little(reader, kind === 2 ? 2 : 4);
    if (back === 0 || back > at || size > length - at) throw new FormatError("a block copies from outside itself");
    for (let left = size; left > 0; left--, at++) result[at] = result[at - back]!;
  }
  if (at !== length) throw new FormatError("a block is shorter than it says");
  return result;
}

function little(reader: ByteReader, bytes: number): number {
  let value = 0;
  for (let at = 0; at < bytes; at++) value += reader.byte() * 2 ** (8 * at);
  return value;
}
