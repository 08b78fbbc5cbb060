/** Reads the open and the accepted invocations, and the number of messages, from the data of a stopped control plane. */
import { join } from "node:path";
import { openEmbeddedQueue } from "../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { SystemClock } from "../../shared/adapters/system/clock.ts";
import { INDEX_SHARDS_MAX, listingPk, openPk } from "../../shared/engine/store/item-keys.ts";
import type { IndexName } from "../../shared/engine/ports/table.ts";

const DAY_MS = 86_400_000;

export interface LeftBehind {
  /** Ids in the open index. */
  readonly open: readonly string[];
  /** The ids of all accepted invocations. */
  readonly accepted: readonly string[];
  /** Messages in the queue, delayed ones included. */
  readonly messages: number;
}

/**
 * @param sinceMs the moment of the first acceptance, or an earlier moment
 * @throws StoreError if the directory does not open
 */
export async function leftBehind(dataDir: string, sinceMs: number): Promise<LeftBehind> {
  const store = await openStore(join(dataDir, "journal"), { kind: "journal" });
  try {
    const table = new EmbeddedTable(store);
    const queue = await openEmbeddedQueue(store, new SystemClock());
    const open: string[] = [];
    const accepted: string[] = [];
    for (let shard = 0; shard < INDEX_SHARDS_MAX; shard++) {
      open.push(...(await idsIn(table, "open", openPk("", shard))));
      for (let atMs = sinceMs; atMs < Date.now() + DAY_MS; atMs += DAY_MS) {
        accepted.push(...(await idsIn(table, "list", listingPk("", atMs, shard))));
      }
    }
    return { open, accepted, messages: queue.size };
  } finally {
    await store.close();
  }
}

async function idsIn(table: EmbeddedTable, index: IndexName, pk: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await table.queryIndex(index, pk, after === undefined ? {} : { after });
    ids.push(...page.items.map((item) => item.pk.slice(item.pk.lastIndexOf("inv#") + 4)));
    if (page.next === undefined) return ids;
    after = page.next;
  }
}
