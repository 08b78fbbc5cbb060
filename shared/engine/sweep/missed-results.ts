/** Wakes the invocations that a suspended one awaits, because they may have ended without delivering their results. */
import type { Nonce } from "../../core/model/ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { awaited } from "../effects/wake-awaited.ts";
import { type Recipient, sendWake } from "../messaging/wake.ts";
import { ACCEPTANCE_SK, leaseRecordKey, invocationPk } from "../store/item-keys.ts";
import type { Loaded } from "../store/load.ts";
import { KEYS_MAX } from "../ports/table.ts";

/**
 * Sends no message to an invocation in the open index, because the sweeper finds it there. So a thousand sleeping calls get no
 * message.
 */
export async function wakeForMissedResults(engine: Engine, loaded: Loaded): Promise<void> {
  const all = awaited(engine, loaded);
  for (let from = 0; from < all.length; from += KEYS_MAX) {
    const some = all.slice(from, from + KEYS_MAX);
    const open = await areInOpenIndex(engine, some);
    const toWake = some.filter((_, at) => !open[at]);
    await atMost(AT_ONCE, toWake, (one) => sendWake(engine, one, 0));
  }
}

async function areInOpenIndex({ table, settings }: Engine, some: readonly Recipient[]): Promise<readonly boolean[]> {
  const pks = some.map(({ id }) => invocationPk(settings.keyPrefix, id));
  // An invocation that is awaited twice is read once.
  const distinct = [...new Set(pks)];
  const firsts = await table.getMany(distinct.map((pk) => ({ pk, sk: ACCEPTANCE_SK })));
  const found = firsts.flatMap((first) => (first === undefined ? [] : [first]));
  const records = await table.getMany(found.map(({ pk, n }) => leaseRecordKey(pk, n as Nonce)));
  const open = new Set(records.flatMap((record) => (typeof record?.["lookAtMs"] === "number" ? [record.pk] : [])));
  return pks.map((pk) => open.has(pk));
}
