/** The schema item of the table, the counterpart of a directory's VERSION file; it is checked before anything else is read. */
import { TABLE_FORMAT } from "../config/table-facts.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Item, Key, Table } from "../engine/ports/table.ts";
import { FORMER_ATTRIBUTE, secretItem, secretKey } from "./environment-secret.ts";

/** The oldest readable format: a table of format 1 has no moments of receipt (ADR 0043). */
const OLDEST_FORMAT = 1;

/** The number of index shards of earlier programs, regardless of their settings. */
const FORMER_SHARDS = 8;

export interface ClaimedTable {
  /** The number of shards that the indexes have been spread over; a list over fewer shards would miss invocations. */
  readonly indexShardsMin: number;
}

/**
 * Checks that the table has a readable format, raises an older one, and claims an empty table. A table from before formats were
 * recorded is taken over (ADR 0020).
 * @throws CodedError META0010 if the table has another format, META0011 if it contains data and no schema item
 */
export async function claimTable(meta: Table, keyPrefix: string): Promise<ClaimedTable> {
  const key = { pk: `${keyPrefix}schema`, sk: "format" };
  const found = (await meta.get(key)) ?? (await claimed(meta, keyPrefix, key));
  const current = isOlder(found) ? await raised(meta, key, found) : found;
  const { format, indexShardsMin } = current as Record<string, unknown>;
  if (format === TABLE_FORMAT) return { indexShardsMin: typeof indexShardsMin === "number" ? indexShardsMin : 1 };
  const text = `the table has the format ${String(format)}, and this program reads the formats ${OLDEST_FORMAT} to ${TABLE_FORMAT}`;
  throw new CodedError("META0010", text);
}

function isOlder({ format }: Record<string, unknown>): boolean {
  return typeof format === "number" && format >= OLDEST_FORMAT && format < TABLE_FORMAT;
}

/**
 * Records this program's format before anything is written in it, so that older programs do not start on the table any more.
 * @returns the schema item, as this process or another one has raised it
 */
async function raised(meta: Table, key: Key, found: Item): Promise<Item> {
  const item = { ...found, format: TABLE_FORMAT };
  const value = (found as Record<string, unknown>)["format"] as number;
  const put = await meta.put(item, { kind: "equal", attribute: "format", value });
  return put.written ? item : (put.existing ?? (await meta.get(key)) ?? item);
}

/** The secret is written after the schema item. A table with only the secret is an earlier program's, or has lost the item. */
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
 * Takes over the table of an earlier program, whose data is readable unchanged. Earlier programs ignore the format, and
 * would drive items that they cannot read. Moving the secret to another attribute makes them refuse to start.
 * @returns undefined if no earlier program wrote the table
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
