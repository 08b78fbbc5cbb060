/** Records of any size: packed if that saves a write unit, and cut into pieces if they are too large for one item. */
import { hex } from "../../core/model/hex.ts";
import type { Nonce } from "../../core/model/ids.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import { message, string, uint32, uint53, type Infer } from "../../core/model/proto3.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { StorePorts } from "./store-ports.ts";
import { belongsTo, pieceKey, pieceRange, PIECES } from "./item-keys.ts";
import { type Item, type Key, StoreError } from "../ports/table.ts";
import { eachPage, type OnBytes } from "./read-partition.ts";
import {
  CODEC,
  contentOf,
  ENVELOPE_BYTES,
  enveloped,
  isInPieces,
  isPlain,
  sameBytes,
  sealed,
} from "./record-envelope.ts";

type Ports = Pick<StorePorts, "table" | "ids" | "codec">;

/** An item has at most 400 KB with its key and attributes: this leaves room for both. */
export const PIECE_MAX_BYTES = 300 * 1024;
/**
 * How many pieces are written at a time: enough to hide the latency of the table, and few enough to leave room for other
 * requests.
 */
const PIECES_AT_ONCE = 4;
const NAME_BYTES = 8;
const UNIT_BYTES = 1024;
/** The largest size of a number that an item contains. */
const NUMBER_MAX_BYTES = 10;
/** The packing of incompressible bytes wastes time. A sample of the beginning of a large record shows whether packing pays. */
const SAMPLE_BYTES = 32 * 1024;
const WORTH_SHARE = 0.9;

/** Replaces the record in its item: `name` is the part between the prefix and the number in the keys of the pieces. */
const StoredPieces = message({ name: string(1), count: uint32(2), sizeBytes: uint53(3) });

/**
 * Prepares an item for its put: packs the sealed record in attribute `b`, and cuts a record that is too large into pieces. It
 * writes the pieces at once, before the caller puts the item: without the item they have no effect. A piece never changes. If the
 * table refuses the item, its pieces stay until they expire or a purge removes them, unless the caller calls `dropLost`.
 * @param owner the owner of the pieces within the partition: the nonce of an invocation or an edit, or the number of an
 *   object's life
 * @param inlineMaxBytes records up to this size stay in the item
 * @returns the item to put; a small item is returned as it is, without a read or a write
 */
export async function chunkForPut(
  ports: Ports,
  item: Item,
  owner: string,
  inlineMaxBytes: number = PIECE_MAX_BYTES,
): Promise<Item> {
  const { b } = item;
  if (!(b instanceof Uint8Array)) throw new StoreError(`${item.sk} holds no record`);
  const sizeBytes = itemBytes(item, NUMBER_MAX_BYTES);
  if (sizeBytes <= UNIT_BYTES) return item;
  const record = await packed(ports, b, sizeBytes - b.length);
  if (record.length <= inlineMaxBytes) return record === b ? item : { ...item, b: record };
  return { ...item, b: await cut(ports, item, owner, record) };
}

async function packed({ codec }: Ports, record: Uint8Array, besideBytes: number): Promise<Uint8Array> {
  if (codec === undefined) return record;
  const content = record.subarray(ENVELOPE_BYTES);
  if (content.length > 2 * SAMPLE_BYTES) {
    const sample = await codec.pack(content.subarray(0, SAMPLE_BYTES));
    if (sample.length > SAMPLE_BYTES * WORTH_SHARE) return record;
  }
  const smaller = enveloped(await codec.pack(content), CODEC.packed);
  return units(besideBytes + smaller.length) < units(besideBytes + record.length) ? smaller : record;
}

function units(sizeBytes: number): number {
  return Math.ceil(sizeBytes / UNIT_BYTES);
}

async function cut({ table, ids }: Ports, item: Item, owner: string, record: Uint8Array): Promise<Uint8Array> {
  const name = `${owner}#${hex(ids.random(NAME_BYTES))}`;
  const count = Math.ceil(record.length / PIECE_MAX_BYTES);
  const numbers = Array.from({ length: count }, (_, at) => at);
  const { expiresAtS } = item;
  await atMost(PIECES_AT_ONCE, numbers, async (at) => {
    const b = record.subarray(at * PIECE_MAX_BYTES, (at + 1) * PIECE_MAX_BYTES);
    await table.put({ ...pieceKey(item.pk, name, at), b, ...(expiresAtS !== undefined && { expiresAtS }) });
  });
  return sealed(encode(StoredPieces, { name, count, sizeBytes: record.length }, ENVELOPE_BYTES), CODEC.pieces);
}

/**
 * The bytes that the store charges for an item: names and values of all attributes.
 * @param numberBytes the size to assume for each number
 */
export function itemBytes(item: Item, numberBytes: number): number {
  let sizeBytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value === undefined) continue;
    sizeBytes += name.length;
    if (typeof value === "string") sizeBytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array) sizeBytes += value.length;
    else sizeBytes += typeof value === "number" ? numberBytes : 1;
  }
  return sizeBytes;
}

/**
 * Makes the items of one partition readable: joins and unpacks every record of this owner, and leaves the pieces out.
 * Costs a read for each record whose pieces are not among the items.
 * @param onBytes called with the size of each record before its pieces are read, and with the unpacked size of each record,
 *   which may be a thousand times the packed size
 * @throws StoreError if pieces are missing
 */
export async function reassemble(
  ports: Ports,
  items: readonly Item[],
  owner: Nonce,
  onBytes?: OnBytes,
): Promise<readonly Item[]> {
  const isPiece = ({ sk }: Item): boolean => sk.startsWith(PIECES.from);
  if (!items.some((item) => isPiece(item) || !isPlain(item["b"]))) return items;
  const pieces = new Map<string, Uint8Array>();
  for (const item of items) if (isPiece(item)) pieces.set(item.sk, item["b"] as Uint8Array);
  return await atMost(
    PIECES_AT_ONCE,
    items.filter((item) => !isPiece(item) && belongsTo(item.sk, owner)),
    async (item) => (isPlain(item["b"]) ? item : { ...item, b: await plainRecord(ports, item, pieces, onBytes) }),
  );
}

/** The stored size of a record, all its pieces included, as the item shows it. A packed record is larger after it is unpacked. */
export function recordBytes({ b, sk }: Item): number {
  if (!(b instanceof Uint8Array)) return 0;
  return isInPieces(b) ? decode(StoredPieces, contentOf(b, CODEC.pieces, sk)).sizeBytes : b.length;
}

/** The keys and sizes of the pieces that an item names; none for a record in one item. */
export function pieceSizes({ pk, sk, b }: Item): readonly { readonly key: Key; readonly bytes: number }[] {
  if (!isInPieces(b)) return [];
  const { name, count, sizeBytes } = decode(StoredPieces, contentOf(b, CODEC.pieces, sk));
  return Array.from({ length: count }, (_, at) => ({
    key: pieceKey(pk, name, at),
    bytes: Math.min(PIECE_MAX_BYTES, sizeBytes - at * PIECE_MAX_BYTES),
  }));
}

/** A record names a piece that is not stored. */
export class MissingPieceError extends StoreError {
  override name = "MissingPieceError";
}

async function plainRecord(
  ports: Ports,
  item: Item,
  pieces: ReadonlyMap<string, Uint8Array>,
  onBytes: OnBytes | undefined,
): Promise<Uint8Array | undefined> {
  const record = item["b"] as Uint8Array;
  const joined = record[1] === CODEC.pieces ? await join(ports, item, pieces, onBytes) : record;
  if (isPlain(joined)) return joined;
  if (ports.codec === undefined) throw new StoreError(`${item.sk} is packed, and this process has no codec`);
  const content = await ports.codec.unpack(contentOf(joined, CODEC.packed, item.sk));
  await onBytes?.(content.length);
  return enveloped(content, CODEC.plain);
}

async function join(
  { table }: Ports,
  item: Item,
  read: ReadonlyMap<string, Uint8Array>,
  onBytes: OnBytes | undefined,
): Promise<Uint8Array> {
  const stored = decode(StoredPieces, contentOf(item["b"], CODEC.pieces, item.sk));
  const parts = partsOf(item.pk, stored, read);
  // The reader waits for room before the record takes it.
  if (parts === undefined) await onBytes?.(stored.sizeBytes);
  const record = new Uint8Array(stored.sizeBytes);
  let at = 0;
  const append = (part: Uint8Array): void => {
    if (at + part.length > record.length) throw new StoreError(`pieces of ${item.sk} are too large`);
    record.set(part, at);
    at += part.length;
  };
  if (parts !== undefined) parts.forEach(append);
  else {
    let count = 0;
    // Each page is copied when it comes, so that the record is in memory once.
    await eachPage(table, item.pk, pieceRange(stored.name), (pieces) => {
      for (const { sk, b } of pieces) {
        if (sk !== pieceKey(item.pk, stored.name, count++).sk)
          throw new MissingPieceError(`a piece before ${sk} is missing`);
        append(b as Uint8Array);
      }
    });
  }
  if (at !== record.length) throw new MissingPieceError(`pieces of ${item.sk} are missing`);
  return record;
}

/** @returns undefined if a piece is missing, or if the pieces do not make up the record */
function partsOf(
  pk: string,
  { name, count, sizeBytes }: Infer<typeof StoredPieces>,
  read: ReadonlyMap<string, Uint8Array>,
): readonly Uint8Array[] | undefined {
  const parts: Uint8Array[] = [];
  let totalBytes = 0;
  for (let at = 0; at < count; at++) {
    const part = read.get(pieceKey(pk, name, at).sk);
    if (part === undefined) return undefined;
    parts.push(part);
    totalBytes += part.length;
  }
  return totalBytes === sizeBytes ? parts : undefined;
}

/**
 * Removes the pieces of an item whose put was refused. Needed for an item without an expiry, and for an acceptance, which may be the
 * only item of its life: a purge finds the pieces of a stored life by their names. If only the answer to the first put was lost, the item is in the table and refuses
 * the repeated put; `existing` is then this item itself, and its pieces stay.
 * @param existing the item that refused the put
 */
export async function dropLost(
  ports: Pick<StorePorts, "table">,
  item: Item,
  existing: Item | undefined,
): Promise<void> {
  if (!sameBytes(item["b"], existing?.["b"])) await dropPieces(ports, item);
}

/** Removes the pieces of a record whose item is replaced. */
export async function dropPieces({ table }: Pick<StorePorts, "table">, item: Item): Promise<void> {
  const { b } = item;
  if (!(b instanceof Uint8Array) || b[1] !== CODEC.pieces) return;
  const { name, count } = decode(StoredPieces, contentOf(b, CODEC.pieces, item.sk));
  const numbers = Array.from({ length: count }, (_, at) => at);
  await atMost(PIECES_AT_ONCE, numbers, (at) => table.delete(pieceKey(item.pk, name, at)));
}
