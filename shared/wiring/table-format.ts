/** The schema item of the table, the counterpart of a directory's VERSION file; it is checked before anything else is read. */
import { TABLE_FORMAT } from "../config/table-facts.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Item, Key, Table } from "../engine/ports/table.ts";
import { secretKey } from "./environment-secret.ts";

/**
 * Checks that the table has the format of this program, and claims an empty table (ADR 0020).
 * @throws CodedError META0010 if the table has another format, META0011 if it contains data and no schema item
 */
export async function claimTable(meta: Table, keyPrefix: string): Promise<void> {
  const key = { pk: `${keyPrefix}schema`, sk: "format" };
  const { format } = ((await meta.get(key)) ?? (await claimed(meta, keyPrefix, key))) as Record<string, unknown>;
  if (format === TABLE_FORMAT) return;
  const text = `the table has the format ${String(format)}, and this program reads the format ${TABLE_FORMAT}`;
  throw new CodedError("META0010", text);
}

/** The secret is written after the schema item, so a table with a secret alone has lost the item. */
async function claimed(meta: Table, keyPrefix: string, key: Key): Promise<Item> {
  if ((await meta.get(secretKey(keyPrefix))) !== undefined) {
    // Another process may have claimed the table between the two reads.
    const since = await meta.get(key);
    if (since !== undefined) return since;
    throw new CodedError("META0011", "the table holds a secret and no schema item");
  }
  const item = { ...key, format: TABLE_FORMAT };
  const put = await meta.put(item, { kind: "absent" });
  return put.written ? item : (put.existing ?? item);
}
