/** Encodes the attributes of an item as a run of (name, tag, value) records, without the key. */
import { StoreError, type Item, type ItemValue } from "../../engine/ports/table.ts";

const TAG_STRING = 1;
const TAG_NUMBER = 2;
const TAG_FALSE = 3;
const TAG_TRUE = 4;
const TAG_BYTES = 5;

const NAME_MAX_BYTES = 255;
/** DynamoDB's limit, so that every item of the embedded store fits DynamoDB too. */
const ITEM_MAX_BYTES = 400 * 1024;

/** The buffer for encoding, which grows with the largest item. Encoding is synchronous, so one buffer is enough. */
let scratch = Buffer.allocUnsafe(16 * 1024);

function makeRoom(used: number, more: number): void {
  if (scratch.length - used >= more) return;
  const larger = Buffer.allocUnsafe(2 * (used + more));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}

/**
 * @returns a copy that shares no memory with the item
 * @throws StoreError for an item above 400 KB, a number that is not finite, a value that is no scalar, or a name that is
 * `__proto__` or above 255 bytes
 */
export function encodeItem(item: Item): Uint8Array {
  let at = 0;
  let overhead = 0;
  for (const name in item) {
    const value = item[name];
    if (value === undefined || name === "pk" || name === "sk") continue;
    makeRoom(at, name.length * 3 + 16);
    const nameBytes = scratch.write(name, at + 1);
    if (nameBytes > NAME_MAX_BYTES || name === "__proto__")
      throw new StoreError(`no attribute may be named ${name.slice(0, 40)}`);
    scratch[at] = nameBytes;
    at = encodeValue(value, at + 1 + nameBytes);
    overhead += 6;
  }
  const keyBytes = Buffer.byteLength(item.pk) + Buffer.byteLength(item.sk);
  if (at - overhead + keyBytes > ITEM_MAX_BYTES)
    throw new StoreError(`the item ${item.pk} ${item.sk} is larger than 400 KB`);
  return new Uint8Array(scratch.subarray(0, at));
}

function encodeValue(value: ItemValue, start: number): number {
  switch (typeof value) {
    case "string": {
      makeRoom(start, value.length * 3 + 5);
      const size = scratch.write(value, start + 5);
      scratch[start] = TAG_STRING;
      scratch.writeUInt32LE(size, start + 1);
      return start + 5 + size;
    }
    case "number":
      if (!Number.isFinite(value)) throw new StoreError(`${value} cannot be stored`);
      scratch[start] = TAG_NUMBER;
      scratch.writeDoubleLE(value, start + 1);
      return start + 9;
    case "boolean":
      scratch[start] = value ? TAG_TRUE : TAG_FALSE;
      return start + 1;
    default: {
      if (!(value instanceof Uint8Array))
        throw new StoreError("an attribute is neither text, number, boolean nor bytes");
      makeRoom(start, value.length + 5);
      scratch[start] = TAG_BYTES;
      scratch.writeUInt32LE(value.length, start + 1);
      scratch.set(value, start + 5);
      return start + 5 + value.length;
    }
  }
}

/**
 * @param more attributes that the bytes do not contain
 * @throws StoreError for an unknown tag, which means that the bytes are damaged
 */
export function decodeItem(
  pk: string,
  sk: string,
  bytes: Uint8Array,
  more: Readonly<Record<string, ItemValue>> = {},
): Item {
  const item: Record<string, ItemValue> & { pk: string; sk: string } = { pk, sk, ...more };
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < source.length) {
    const nameEnd = at + 1 + source[at]!;
    const name = source.toString("utf8", at + 1, nameEnd);
    const tag = source[nameEnd];
    at = nameEnd + 1;
    if (tag === TAG_STRING || tag === TAG_BYTES) {
      const start = at + 4;
      const end = start + source.readUInt32LE(at);
      item[name] =
        tag === TAG_STRING ? source.toString("utf8", start, end) : new Uint8Array(source.subarray(start, end));
      at = end;
    } else if (tag === TAG_NUMBER) {
      item[name] = source.readDoubleLE(at);
      at += 8;
    } else if (tag === TAG_TRUE || tag === TAG_FALSE) {
      item[name] = tag === TAG_TRUE;
    } else {
      throw new StoreError(`the stored item ${pk} ${sk} is damaged`);
    }
  }
  return item;
}
