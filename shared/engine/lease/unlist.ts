/** Removes the acceptance of a tombstone from the listing: the invocation ended before its first attempt (I6). */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import { invocationPk, segmentKey } from "../store/item-keys.ts";

/** Greater than every place in the listing. */
const AFTER_ALL = "~";

/**
 * Without this update, a list would show the tombstone as completed, while the API answers 404 for its id. The acceptance itself
 * stays, because an acceptor that repeats its put must find it. The caller must perform the final effects before this update: the
 * sweeper finds missing effects only through the listing.
 */
export async function unlistTombstone(engine: Engine, { acceptance, phase }: Invocation): Promise<void> {
  if (phase.status !== "completed" || !phase.tombstone) return;
  const { id, nonce } = acceptance;
  const key = segmentKey(invocationPk(engine.settings.keyPrefix, id), nonce, 0);
  // `end` marks an invocation that takes no more arrivals.
  const update = { set: { end: true }, remove: ["listPk", "listSk"] };
  const isThis = { kind: "equal", attribute: "n", value: nonce } as const;
  // Every late message repeats this update; the condition refuses the repetition.
  const isListed = { kind: "less", attribute: "listSk", than: AFTER_ALL } as const;
  await engine.table.update(key, update, { kind: "all", of: [isThis, isListed] });
}
