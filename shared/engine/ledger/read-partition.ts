/** Reads a whole range of one partition, page by page. */
import type { Item, Range, Table } from "../ports/table.ts";

export async function readPartition(table: Table, pk: string, range: Range): Promise<readonly Item[]> {
  const first = await table.query(pk, range);
  if (first.next === undefined) return first.items;
  const items = [...first.items];
  for (let after: string | undefined = first.next; after !== undefined;) {
    const page = await table.query(pk, { ...range, after });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}
