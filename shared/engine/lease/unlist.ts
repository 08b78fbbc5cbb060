/** An invocation that ended before its first attempt leaves the listing: it counts as never accepted (I6). */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import { invocationPk, segmentKey } from "../store/item-keys.ts";

/** Greater than every place in the listing. */
const AFTER_ALL = "~";

/**
 * The listing shows no ends, so a list would show the tombstone as completed, while every question about its id is
 * answered with 404. The acceptance stays without its keys of the listing: an acceptor that repeats its put must find it.
 * The caller has performed the effects of the end, because the look at the listing finds those that are missing.
 */
export async function unlistTombstone(engine: Engine, { acceptance, phase }: Invocation): Promise<void> {
  if (phase.status !== "completed" || !phase.tombstone) return;
  const { id, nonce } = acceptance;
  const key = segmentKey(invocationPk(engine.settings.keyPrefix, id), nonce, 0);
  // The mark says what the missing keys no longer say: that nothing can arrive here any more.
  const update = { set: { end: true }, remove: ["listPk", "listSk"] };
  const isThis = { kind: "equal", attribute: "n", value: nonce } as const;
  // Every late message comes here again: the refusal leaves what has been done as it is.
  const isListed = { kind: "less", attribute: "listSk", than: AFTER_ALL } as const;
  await engine.table.update(key, update, { kind: "all", of: [isThis, isListed] });
}
