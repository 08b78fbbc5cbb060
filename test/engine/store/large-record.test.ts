/** Records larger than one item: packed, cut into pieces, and assembled again. */
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { deflateCodec } from "../../../shared/adapters/system/deflate-codec.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import type { Nonce } from "../../../shared/core/model/ids.ts";
import {
  dropLost,
  dropPieces,
  chunkForPut,
  PIECE_MAX_BYTES,
  reassemble,
} from "../../../shared/engine/store/large-record.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { readPartition } from "../../../shared/engine/store/read-partition.ts";
import { CODEC, enveloped, opened } from "../../../shared/engine/store/record-envelope.ts";
import { MemoryTable } from "../../simulation/memory-table.ts";

const OWNER = "n1" as Nonce;
const KEY = { pk: "inv#x", sk: `seg#${OWNER}#000001` };
const ids = new SecretIdSource(new Uint8Array(32));
let table: MemoryTable;
beforeEach(() => {
  table = new MemoryTable();
});

const plain = () => ({ table, ids });
const packing = () => ({ table, ids, codec: deflateCodec });
const itemOf = (content: Uint8Array): Item => ({ ...KEY, b: enveloped(content, CODEC.plain), expiresAtS: 1_000 });
const bytesOf = ({ b }: Item): Uint8Array => b as Uint8Array;
const text = (size: number) =>
  new TextEncoder().encode("some words that repeat, ".repeat(size / 24 + 1)).slice(0, size);

/** @returns the record of an item as a reader of the partition gets it */
async function readBack(ports: ReturnType<typeof packing> | ReturnType<typeof plain>): Promise<Uint8Array> {
  const [item, ...more] = await reassemble(ports, await readPartition(table, KEY.pk, {}), OWNER);
  expect(more).toEqual([]);
  return opened(item!["b"], "the record");
}

describe.each([
  ["as it is", plain],
  ["packed if that saves a write unit", packing],
])("a record %s", (_, ports) => {
  test.each([0, 500, 5_000, PIECE_MAX_BYTES - 3, PIECE_MAX_BYTES, 1_000_000, 3_000_000])(
    "of %i random bytes comes back byte for byte",
    async (size) => {
      const content = new Uint8Array(randomBytes(size));
      expect((await table.put(await chunkForPut(ports(), itemOf(content), OWNER))).written).toBe(true);
      expect(Buffer.compare(await readBack(ports()), content)).toBe(0);
    },
  );

  test.each([5_000, 2_000_000, 9_000_000])("of %i bytes of text comes back byte for byte", async (size) => {
    const content = text(size);
    await table.put(await chunkForPut(ports(), itemOf(content), OWNER));
    expect(Buffer.compare(await readBack(ports()), content)).toBe(0);
  });
});

test("a record of at most one write unit is put as it is, without pieces", async () => {
  const item = itemOf(text(900));
  expect(await chunkForPut(packing(), item, OWNER)).toBe(item);
  expect(table.all()).toEqual([]);
});

test("a record is packed only if that saves a whole write unit", async () => {
  expect(bytesOf(await chunkForPut(packing(), itemOf(text(4_000)), OWNER)).length).toBeLessThan(200);
  const random = itemOf(new Uint8Array(randomBytes(4_000)));
  expect(await chunkForPut(packing(), random, OWNER)).toBe(random);
  const large = itemOf(new Uint8Array(randomBytes(200_000)));
  expect(await chunkForPut(packing(), large, OWNER)).toBe(large);
});

test("the names of a key count in the bytes that the store charges for them, not in characters", async () => {
  const item = { ...itemOf(text(600)), sk: `state#1#${"ü".repeat(300)}` };
  expect(bytesOf(await chunkForPut(packing(), item, OWNER)).length).toBeLessThan(200);
});

test("pieces live as long as their item, and each fits in one item", async () => {
  await chunkForPut(plain(), itemOf(text(1_000_000)), OWNER);
  const pieces = table.all();
  expect(pieces.map(({ expiresAtS }) => expiresAtS)).toEqual([1_000, 1_000, 1_000, 1_000]);
  expect(Math.max(...pieces.map((piece) => bytesOf(piece).length))).toBe(PIECE_MAX_BYTES);
});

test("two writers of one item share no piece, and the loser's pieces do no harm", async () => {
  const [first, second] = [text(400_000), new Uint8Array(randomBytes(400_000))];
  const [winner, loser] = [
    await chunkForPut(plain(), itemOf(first), OWNER),
    await chunkForPut(plain(), itemOf(second), OWNER),
  ];
  expect((await table.put(winner, { kind: "absent" })).written).toBe(true);
  expect((await table.put(loser, { kind: "absent" })).written).toBe(false);
  expect(Buffer.compare(await readBack(plain()), first)).toBe(0);
});

test("pieces that were written after the query are read separately", async () => {
  const content = text(700_000);
  const item = await chunkForPut(plain(), itemOf(content), OWNER);
  const [read] = await reassemble(plain(), [item], OWNER);
  expect(Buffer.compare(opened(read!["b"], "the record"), content)).toBe(0);
});

test("a record without its pieces is an error, unless it belongs to a former life", async () => {
  const item = await chunkForPut(plain(), itemOf(text(700_000)), OWNER);
  for (const piece of table.all()) await table.delete(piece);
  await expect(reassemble(plain(), [item], OWNER)).rejects.toThrow("pieces of seg#n1#000001 are missing");
  expect(await reassemble(plain(), [item], "n2" as Nonce)).toEqual([]);
});

test("a process without a codec refuses a packed record", async () => {
  const item = await chunkForPut(packing(), itemOf(text(4_000)), OWNER);
  await expect(reassemble(plain(), [item], OWNER)).rejects.toThrow("this process has no codec");
});

test("dropLost removes the pieces of an item whose put was refused, unless the stored item has the same record", async () => {
  const item = await chunkForPut(plain(), itemOf(text(1_000_000)), OWNER);
  await dropLost(plain(), item, { ...item, expiresAtS: 2_000 });
  expect(table.all().length).toBe(4);
  await dropLost(plain(), item, itemOf(text(100)));
  expect(table.all()).toEqual([]);
});

test("dropPieces removes the pieces of an item", async () => {
  const item = await chunkForPut(plain(), itemOf(text(1_000_000)), OWNER);
  expect(table.all().length).toBe(4);
  await dropPieces(plain(), item);
  expect(table.all()).toEqual([]);
});
