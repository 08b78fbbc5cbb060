/** Finds a text in a whole table: in keys and attributes, in packed records as unpacked, and in records in pieces as joined. */
import { inflateRawSync } from "node:zlib";
import type { Item, Table } from "../../../shared/engine/ports/table.ts";
import { CODEC, ENVELOPE_BYTES } from "../../../shared/engine/store/record-envelope.ts";
import { readPartition } from "../../../shared/engine/store/read-partition.ts";

/** What the keys of all partitions begin with. */
const PARTITIONS = ["inv#", "obj#", "sweeper", "topic#"];

/** @returns the places of the text, as `<pk> <sk>`, in order */
export async function placesOf(table: Table, text: string): Promise<readonly string[]> {
  const places: string[] = [];
  for await (const items of partitionsOf(table))
    for (const [place, bytes] of [...items.flatMap(contentsOf), ...joinedPieces(items)])
      if (bytes.includes(text) || inflated(bytes)?.includes(text) === true) places.push(place);
  return [...new Set(places)].toSorted();
}

async function* partitionsOf(table: Table): AsyncGenerator<readonly Item[]> {
  const pks = new Set<string>();
  for (const prefix of PARTITIONS)
    for (let after: string | undefined; ;) {
      const page = await table.partitions(prefix, after);
      for (const pk of page.pks) pks.add(pk);
      if (page.next === undefined) break;
      after = page.next;
    }
  for (const pk of pks) yield await readPartition(table, pk, {});
}

type Content = readonly [place: string, bytes: Buffer];

const placeOf = ({ pk, sk }: Item): string => `${pk} ${sk}`;

function contentsOf(item: Item): Content[] {
  const values = [item.pk, item.sk, ...Object.values(item)];
  return values.flatMap((value): Content[] => {
    if (value instanceof Uint8Array) return [[placeOf(item), Buffer.from(value)]];
    return typeof value === "string" ? [[placeOf(item), Buffer.from(value)]] : [];
  });
}

/** The record of each group of pieces, whether or not an item names it. */
function joinedPieces(items: readonly Item[]): Content[] {
  const groups = new Map<string, Item[]>();
  for (const item of items.filter(({ sk }) => sk.startsWith("blob#"))) {
    const name = placeOf(item).slice(0, placeOf(item).lastIndexOf("#"));
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups].map(([name, pieces]) => [name, Buffer.concat(pieces.map(({ b }) => b as Uint8Array))]);
}

function inflated(bytes: Buffer): Buffer | undefined {
  if (bytes.length <= ENVELOPE_BYTES || bytes[1] !== CODEC.packed) return undefined;
  try {
    return inflateRawSync(bytes.subarray(ENVELOPE_BYTES));
  } catch {
    // Not a packed record: a single piece, or bytes that only begin like a record.
    return undefined;
  }
}
