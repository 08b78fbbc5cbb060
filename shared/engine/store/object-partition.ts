/** The partitions of objects, and reads of their locks. */
import { hex } from "../../core/model/hex.ts";
import type { KeyOwner } from "../../core/model/target.ts";
import type { StorePorts } from "./store-ports.ts";
import { lockKey, objectPk, type Shorten } from "./object-keys.ts";
import { type Lock, readLock } from "./lock-record.ts";

const SHORT_NAME_BYTES = 20;

/** Derives the short form of a long name under the environment's secret, so that no caller can construct a collision. */
export function shortenWith({ ids }: Pick<StorePorts, "ids">): Shorten {
  return (name) => hex(ids.derive(["name", name], SHORT_NAME_BYTES));
}

export function objectPartition(engine: Pick<StorePorts, "ids" | "settings">, owner: KeyOwner): string {
  return objectPk(engine.settings.keyPrefix, owner, shortenWith(engine));
}

/** One strongly consistent read. @throws StoreError */
export async function lockAt({ table }: Pick<StorePorts, "table">, pk: string): Promise<Lock> {
  return readLock(await table.get(lockKey(pk)));
}
