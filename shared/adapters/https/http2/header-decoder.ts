/** Decodes header blocks of HPACK (RFC 7541), Huffman codes included. */
import { CODE, ConnectionError } from "./frames.ts";
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

/**
 * The length in bits of the code of each byte; the last entry is the length for the end mark. The code is canonical: codes
 * count up by length, then by byte, so the lengths determine all codes.
 */
const LENGTHS: readonly number[] = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  [30],
].flat();
const END_MARK = 256;
const LENGTH_MAX = 30;
/** The limit of padding bits at the end of a text; more are an error. */
const PADDING_MAX_BITS = 7;
const SHORTEST_BITS = 5;

/** The code of each byte, as a number with its length in bits; the last entry is the code of the end mark. */
export function huffmanCodes(): readonly { readonly code: number; readonly bits: number }[] {
  const codes: { code: number; bits: number }[] = [];
  let code = 0;
  for (let bits = 1; bits <= LENGTH_MAX; bits += 1) {
    for (const [symbol, length] of LENGTHS.entries()) {
      if (length === bits) codes[symbol] = { code: code++, bits };
    }
    code *= 2;
  }
  return codes;
}

/** Two entries for each inner node, for bit 0 and bit 1: the next node if positive, else the complement of a symbol. */
const TREE = treeOf(huffmanCodes());

function treeOf(codes: ReturnType<typeof huffmanCodes>): Int16Array {
  const tree = new Int16Array(2 * END_MARK);
  let nodes = 1;
  for (const [symbol, { code, bits }] of codes.entries()) {
    let node = 0;
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      const step = 2 * node + ((code >> bit) & 1);
      if (bit === 0) tree[step] = ~symbol;
      else node = tree[step] ||= nodes++;
    }
  }
  return tree;
}

/** @returns one character per byte; @throws ConnectionError for an end mark inside the text, or wrong padding */
export function huffmanDecoded(bytes: Uint8Array, start: number, end: number): string {
  const text = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / SHORTEST_BITS));
  let size = 0;
  let node = 0;
  let pendingBits = 0;
  let pendingOnes = true;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
      const one = (byte >> bit) & 1;
      const next = TREE[2 * node + one] ?? 0;
      pendingBits += 1;
      pendingOnes &&= one === 1;
      node = next;
      if (next >= 0) continue;
      if (~next === END_MARK) throw wrong("an end mark is inside a text");
      text[size++] = ~next;
      node = 0;
      pendingBits = 0;
      pendingOnes = true;
    }
  }
  if (pendingBits > PADDING_MAX_BITS || !pendingOnes) throw wrong("a text ends in the middle of a byte");
  return text.toString("latin1", 0, size);
}

function wrong(what: string): ConnectionError {
  return new ConnectionError(CODE.COMPRESSION_ERROR, `a header cannot be read: ${what}`);
}
