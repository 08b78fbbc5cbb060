/** The claim of a table: the format of its items, and the secret and the keys of the environment that uses it. */
import { TABLE_FORMAT } from "../config/table-facts.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { StoreError, type Item, type Key, type Table } from "../engine/ports/table.ts";
import { recognisedSecret, secretKey } from "./environment-secret.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { dynamoClient } from "../adapters/dynamodb/dynamodb-client.ts";
import { DynamoTable } from "../adapters/dynamodb/dynamodb-table.ts";
import { SystemClock } from "../adapters/system/clock.ts";
import { readParameterKeys, type ParameterPlace, type ParameterStore } from "./parameter-keys.ts";

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

/** No setting changes this prefix. */
const KEY_PREFIX = "";

interface Patience {
  /** No retry starts after this time. */
  readonly forMs: number;
  readonly everyMs: number;
}

/** For a new right of a role, IAM promises no upper limit. The retries end before the deployment of the stack times out. */
const AFTER_GRANT: Patience = { forMs: 20_000, everyMs: 1_000 };

export function tableNamed(tableName: string): Table {
  return new DynamoTable({ client: dynamoClient(), tableName, clock: new SystemClock() });
}

/**
 * Idempotent. The keys of the environment must exist.
 * @throws CodedError RT0002 if the table was written under another secret, META0010 and META0011 if it has another format
 * @throws StoreError if the table still refuses after the patience
 */
export async function claimForEnvironment(
  table: Table,
  parameters: ParameterStore,
  place: ParameterPlace,
  { forMs, everyMs }: Patience = AFTER_GRANT,
): Promise<void> {
  const { secret } = await readParameterKeys(parameters, place);
  for (const untilMs = Date.now() + forMs; ;) {
    try {
      await claimTable(table, KEY_PREFIX);
      await recognisedSecret(table, KEY_PREFIX, secret);
      return;
    } catch (error) {
      if (!(error instanceof StoreError) || Date.now() + everyMs > untilMs) throw error;
      await sleep(everyMs);
    }
  }
}
