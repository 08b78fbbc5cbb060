/** Decides whether a redo would reach a life that began after the command of the redo was written (ADR 0021). */
import { livesOnce } from "../../core/invocation/acceptance.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { ARRIVALS, ARRIVALS_TO_SEGMENTS, belongsTo, momentOfPlace } from "../store/item-keys.ts";
import { eachPage } from "../store/read-partition.ts";
import { acceptanceIn } from "../store/acceptance-record.ts";
import type { Item } from "../ports/table.ts";

/** The most by which the clocks of two processes differ: each clock is right within five seconds. */
export const CLOCKS_DIFFER_MAX_MS = 10_000;

/**
 * For redos only: a first performance follows its segment at once, and is meant for the life that it finds. Two moments of
 * different processes show an order only if they differ by more than their clocks may differ. For closer moments the items of
 * the former life decide. An arrival of the effect among them proves that the effect was performed. If the journal of the former
 * life was deleted together with the arrivals, so that only its final segment remains (`endAlone`), the effect may have been
 * performed. In both cases the function returns true.
 * @param existing the acceptance that the redo finds
 * @param key the key of the arrival that the effect writes
 * @param askedAtMs when the segment with the command was written
 */
export async function isLaterLife(
  engine: Engine,
  id: InvocationId,
  existing: Item,
  key: string,
  askedAtMs: number,
): Promise<boolean> {
  // A purged acceptance has no moment: `laterByMs` is NaN, and the answer is false. The arrival changes nothing, because the
  // purged life has ended.
  const laterByMs = momentOfPlace(String(existing["listSk"])) - askedAtMs;
  // A key that begins with `x` is unique to one sending, so its arrival in any life proves that the effect was performed, even
  // if by the clocks the current life began shortly before the command. The arrival of an awakeable has the same key in every
  // life: if the current life began before the command, the awakeable's arrival in an earlier life may come from another
  // command, and proves nothing.
  const isOfOneSending = key.startsWith("x");
  if (!(laterByMs > (isOfOneSending ? -CLOCKS_DIFFER_MAX_MS : 0))) return false;
  if (livesOnce(await acceptanceIn(engine, id, existing))) return false;
  if (laterByMs > CLOCKS_DIFFER_MAX_MS) return true;
  let isPerformed = false;
  await eachPage(engine.table, existing.pk, ARRIVALS_TO_SEGMENTS, (items) => {
    for (const { sk, endAlone } of items) {
      if (belongsTo(sk, existing["n"] as Nonce)) continue;
      isPerformed ||= laterByMs > 0 && endAlone === true;
      isPerformed ||= sk.startsWith(ARRIVALS.from) && sk.endsWith(`#${key}`);
    }
  });
  return isPerformed;
}
