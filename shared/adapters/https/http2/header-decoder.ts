/** Decodes received header blocks (RFC 7541) without a dynamic table, which our settings forbid. */
import { CODE, ConnectionError } from "./frames.ts";
import { huffmanDecoded } from "./huffman.ts";
import { STATIC_FIELDS } from "./static-table.ts";

export type Field = readonly [name: string, value: string];

/** The size that a field adds to its list beside its own bytes (RFC 7541, section 4.1). */
const FIELD_OVERHEAD_BYTES = 32;
/** No valid index and no accepted length is larger. */
const INTEGER_MAX = 0xffffff;

interface Cursor {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
}

/**
 * @param listMaxBytes limit for names and values together, plus 32 bytes for each field
 * @returns the fields in order; undefined if they exceed the limit
 * @throws ConnectionError for an unreadable block, also for a reference to a dynamic entry
 */
export function decodedFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  listMaxBytes: number,
): readonly Field[] | undefined {
  const cursor: Cursor = { bytes, end, at: start };
  const fields: Field[] = [];
  let listBytes = 0;
  while (cursor.at < end) {
    const first = bytes[cursor.at] ?? 0;
    if (first >> 5 === 1) {
      // Only a table size of 0 is valid, and only at the start of a block.
      if (integer(cursor, 5) > 0 || fields.length > 0) throw unreadable("a dynamic table is used");
      continue;
    }
    const field = first >> 7 === 1 ? indexed(integer(cursor, 7)) : literal(cursor, first >> 6 === 1 ? 6 : 4);
    listBytes += field[0].length + field[1].length + FIELD_OVERHEAD_BYTES;
    if (listBytes > listMaxBytes) return undefined;
    fields.push(field);
  }
  return fields;
}

/** Decodes fields with and without indexing in the same way: a table of size 0 evicts an added entry at once. */
function literal(cursor: Cursor, prefixBits: number): Field {
  const index = integer(cursor, prefixBits);
  const name = index === 0 ? text(cursor) : indexed(index)[0];
  return [name, text(cursor)];
}

function indexed(index: number): Field {
  const field = STATIC_FIELDS[index - 1];
  if (field === undefined) throw unreadable(`entry ${index} is in no table`);
  return field;
}

function text(cursor: Cursor): string {
  const isHuffman = (cursor.bytes[cursor.at] ?? 0) >> 7 === 1;
  const size = integer(cursor, 7);
  const start = cursor.at;
  cursor.at += size;
  if (cursor.at > cursor.end) throw unreadable("a text is longer than its block");
  if (isHuffman) return huffmanDecoded(cursor.bytes, start, cursor.at);
  return Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset + start, size).toString("latin1");
}

function integer(cursor: Cursor, prefixBits: number): number {
  const prefixMax = (1 << prefixBits) - 1;
  let value = nextByte(cursor) & prefixMax;
  if (value < prefixMax) return value;
  for (let shift = 0; ; shift += 7) {
    const byte = nextByte(cursor);
    value += (byte & 127) * 2 ** shift;
    if (value > INTEGER_MAX || shift > 21) throw unreadable("a number is too large");
    if (byte < 128) return value;
  }
}

function nextByte(cursor: Cursor): number {
  if (cursor.at >= cursor.end) throw unreadable("the block ends in the middle of a field");
  return cursor.bytes[cursor.at++] ?? 0;
}

function unreadable(what: string): ConnectionError {
  return new ConnectionError(CODE.COMPRESSION_ERROR, `headers cannot be read: ${what}`);
}
