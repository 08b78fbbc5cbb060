/** The schema item of the table, which plays the part of a directory's VERSION file: checked before anything else is read. */
import { CodedError } from "../core/errors/coded-error.ts";
import type { Item, Key, Table } from "../engine/ports/table.ts";
import { FORMER_ATTRIBUTE, secretItem, secretKey } from "./environment-secret.ts";

/** The format this program reads and writes. A change that older programs cannot read raises it. */
export const TABLE_FORMAT = 1;

/** Over so many partitions programs of before spread the indexes, whatever they were told. */
const FORMER_SHARDS = 8;

export interface ClaimedTable {
  /** Over so many partitions its indexes have been spread: lists that looked at fewer would leave invocations out. */
  readonly indexShardsMin: number;
}

/**
 * Makes sure that the table has this program's format, and makes an empty one into such a table. One that was written
 * before tables told their format is taken over as it is (ADR 0020).
 * @throws CodedError META0010 where another format lies in it, META0011 where it holds data and no schema item
 */
export async function claimTable(meta: Table, keyPrefix: string): Promise<ClaimedTable> {
  const key = { pk: `${keyPrefix}schema`, sk: "format" };
  const found = (await meta.get(key)) ?? (await claimed(meta, keyPrefix, key));
  const { format, indexShardsMin } = found as Record<string, unknown>;
  if (format === TABLE_FORMAT) return { indexShardsMin: typeof indexShardsMin === "number" ? indexShardsMin : 1 };
  const text = `the table has the format ${String(format)}, and this program needs ${TABLE_FORMAT}`;
  throw new CodedError("META0010", text);
}

/** The secret is written right after this item, so that a table that has the one and not the other was never claimed. */
async function claimed(meta: Table, keyPrefix: string, key: Key): Promise<Item> {
  const secret = await meta.get(secretKey(keyPrefix));
  if (secret !== undefined) {
    // Another process may have claimed the table between the two reads.
    const since = (await meta.get(key)) ?? (await takenOver(meta, keyPrefix, key, secret));
    if (since !== undefined) return since;
    throw new CodedError("META0011", "the table holds a secret and no schema item");
  }
  const item = { ...key, format: TABLE_FORMAT };
  const put = await meta.put(item, { kind: "absent" });
  return put.written ? item : (put.existing ?? item);
}

/**
 * What programs of before wrote is read as it stands. They know of no format, and would drive what they do not understand:
 * where their secret moves within its item, they refuse to start.
 * @returns undefined where no such program wrote it
 */
async function takenOver(meta: Table, keyPrefix: string, key: Key, secret: Item): Promise<Item | undefined> {
  const bytes = secret[FORMER_ATTRIBUTE];
  if (!(bytes instanceof Uint8Array)) return undefined;
  const item = { ...key, format: TABLE_FORMAT, indexShardsMin: FORMER_SHARDS };
  const { written } = await meta.transact([
    { kind: "put", item, condition: { kind: "absent" } },
    { kind: "put", item: secretItem(keyPrefix, bytes) },
  ]);
  return written ? item : await meta.get(key);
}
