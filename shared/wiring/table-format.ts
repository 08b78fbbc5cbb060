/** The schema item of the table, which plays the part of a directory's VERSION file: checked before anything else is read. */
import { CodedError } from "../core/errors/coded-error.ts";
import type { Table } from "../engine/ports/table.ts";
import { secretKey } from "./environment-secret.ts";

/** The format this program reads and writes. A change that older programs cannot read raises it. */
export const TABLE_FORMAT = 1;

/**
 * Makes sure that the table has this program's format, and makes an empty one into such a table.
 * @throws CodedError META0010 where another format lies in it, META0011 where it holds data and no schema item
 */
export async function claimTable(meta: Table, keyPrefix: string): Promise<void> {
  const key = { pk: `${keyPrefix}schema`, sk: "format" };
  const found = (await meta.get(key)) ?? (await claimed(meta, keyPrefix, key));
  if (found["format"] === TABLE_FORMAT) return;
  const text = `the table has the format ${String(found["format"])}, and this program needs ${TABLE_FORMAT}`;
  throw new CodedError("META0010", text);
}

/** The secret is written right after this item, so that a table that has the one and not the other was never claimed. */
async function claimed(meta: Table, keyPrefix: string, key: { readonly pk: string; readonly sk: string }) {
  const isUsed = (await meta.get(secretKey(keyPrefix))) !== undefined;
  if (isUsed) {
    // Another process may have claimed the table between the two reads.
    const since = await meta.get(key);
    if (since !== undefined) return since;
    throw new CodedError("META0011", "the table holds a secret and no schema item");
  }
  const item = { ...key, format: TABLE_FORMAT };
  const put = await meta.put(item, { kind: "absent" });
  return put.written ? item : (put.standing ?? item);
}
