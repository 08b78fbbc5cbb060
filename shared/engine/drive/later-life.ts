/** Whether a redo would reach a life that began after the effect was asked for, and perhaps performed on the life before (ADR 0021). */
import { livesOnce } from "../../core/invocation/acceptance.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { ARRIVALS, ARRIVALS_TO_SEGMENTS, belongsTo, momentOf } from "../ledger/item-keys.ts";
import { readPartition } from "../ledger/read-partition.ts";
import { acceptanceIn } from "../ledger/standing-acceptance.ts";
import type { Item } from "../ports/table.ts";

/** The clocks of two processes differ by no more: each is right within five seconds. */
export const CLOCKS_DIFFER_MAX_MS = 10_000;

/**
 * Only a redo asks: a first performance follows its segment at once, and whichever life it finds is the one it is for.
 * Moments of two processes tell the order of the two only where they are far apart. Within what clocks differ, the former
 * life decides: the effect has been performed where its arrival stands there, and may have been where a purge has taken
 * the arrivals along.
 * @param standing the acceptance that the redo finds
 * @param key of the arrival that the effect brings
 * @param askedAtMs when the segment was written that asks for it
 */
export async function isLaterLife(
  engine: Engine,
  id: InvocationId,
  standing: Item,
  key: string,
  askedAtMs: number,
): Promise<boolean> {
  // A purged acceptance tells no moment, and has no life to reach.
  const laterByMs = momentOf(String(standing["listSk"])) - askedAtMs;
  // The key of an awakeable's value is the same in every life: an earlier one proves nothing for a life that stood by then.
  const isOfOneSending = key.startsWith("x");
  if (!(laterByMs > (isOfOneSending ? -CLOCKS_DIFFER_MAX_MS : 0))) return false;
  if (livesOnce(await acceptanceIn(engine, id, standing))) return false;
  if (laterByMs > CLOCKS_DIFFER_MAX_MS) return true;
  const items = await readPartition(engine.table, standing.pk, ARRIVALS_TO_SEGMENTS);
  const former = items.filter(({ sk }) => !belongsTo(sk, standing["n"] as Nonce));
  const isPurged = laterByMs > 0 && former.some(({ endAlone }) => endAlone === true);
  return isPurged || former.some(({ sk }) => sk.startsWith(ARRIVALS.from) && sk.endsWith(`#${key}`));
}
