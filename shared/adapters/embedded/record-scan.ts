/** Scans all JSON records of one prefix at the start of a process. */
import { StoreError } from "../../engine/ports/table.ts";
import type { Store } from "./store.ts";

const PAGE_MAX_ENTRIES = 10_000;

/**
 * Calls `take` with each record below a one-letter prefix, and with its key without the prefix.
 * @throws StoreError, also for a record that is not JSON
 */
export async function scanRecords(
  store: Store,
  prefix: string,
  take: (name: string, record: unknown) => void,
): Promise<void> {
  const lt = String.fromCharCode(prefix.charCodeAt(0) + 1);
  let gte = prefix;
  for (;;) {
    const { entries, isWhole } = await store.entries({ gte, lt }, PAGE_MAX_ENTRIES);
    for (const [key, bytes] of entries) take(key.slice(prefix.length), parsed(key, bytes));
    if (isWhole) return;
    gte = `${entries.at(-1)![0]}\0`;
  }
}

function parsed(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (cause) {
    throw new StoreError(`the stored record ${key} is damaged`, { cause });
  }
}
