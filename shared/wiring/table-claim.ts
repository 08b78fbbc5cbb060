/**
 * Claims the table of an environment while its stack is deployed: the format, and a digest of the secret. The functions then only
 * compare, so none of them needs the right to write there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { dynamoClient } from "../adapters/dynamodb/dynamodb-client.ts";
import { DynamoTable } from "../adapters/dynamodb/dynamodb-table.ts";
import { SystemClock } from "../adapters/system/clock.ts";
import type { Table } from "../engine/ports/table.ts";
import { StoreError } from "../engine/ports/table.ts";
import { recognisedSecret } from "./environment-secret.ts";
import { readParameterKeys } from "./parameter-keys.ts";
import type { ParameterPlace, ParameterStore } from "./parameter-keys.ts";
import { claimTable } from "./table-format.ts";

/** No setting changes this prefix. */
const KEY_PREFIX = "";

export interface Patience {
  /** No retry starts after this time. */
  readonly forMs: number;
  readonly everyMs: number;
}

/** For a new right of a role, IAM promises no upper limit. The retries end before the deployment of the stack times out. */
export const AFTER_GRANT: Patience = { forMs: 20_000, everyMs: 1_000 };

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
