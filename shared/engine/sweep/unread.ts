/** Handles an entry of the listing whose invocation is too large for a walk to load, or has killed a process. */
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../engine-settings.ts";
import { sendWake } from "../drive/wake.ts";
import { type Hold, holdItem } from "../ledger/hold-record.ts";
import { idOf } from "../ledger/index-walk.ts";
import { holdKey, momentOf } from "../ledger/item-keys.ts";
import { openUntilS } from "../ledger/keep.ts";
import type { Item } from "../ports/table.ts";

/**
 * Puts an invocation without a hold into the open index. Sends a message, unless the invocation was in that index
 * before or its hold is completed: the worker loads the invocation, and redoes its final effects where it has ended. An
 * invocation that is old enough for this walk and not in the open index has no live driver: a live driver would have
 * renewed its lease, which puts it there.
 * @param item an entry of the listing
 */
export async function noteUnread(engine: Engine, item: Item): Promise<void> {
  const { settings, table, clock } = engine;
  const [id, nonce, service] = [idOf(item), item["n"] as Nonce, String(item["service"])];
  const standing = await table.get(holdKey(item.pk, nonce));
  if (standing === undefined) await table.put(newHold(engine, item), { kind: "absent" });
  else if (typeof standing["lookAtMs"] === "number" || standing["status"] === "completed") return;
  engine.log.info("an invocation is too large for a look, and is left to a worker", {
    invocationId: id,
    ageS: Math.round((clock.nowMs() - createdAtMs(item)) / 1000),
    keyPrefix: settings.keyPrefix,
  });
  await sendWake(engine, { id, target: { service } }, 0);
}

function newHold(engine: Engine, item: Item): Item {
  const { settings, clock, drives } = engine;
  const [nowMs, atMs] = [clock.nowMs(), createdAtMs(item)];
  const { service, handler, objectKey, n } = item;
  const hold: Hold = {
    // The lowest base, so that every driver may write over this hold.
    base: 0,
    token: drives.newToken(),
    untilMs: 0,
    status: "ready",
    attempts: 0,
    retries: NO_RETRIES,
    lookAtMs: nowMs + checkIntervalMs(settings),
    keepUntilS: openUntilS(settings, atMs),
  };
  const target = {
    service: String(service),
    handler: String(handler),
    ...(typeof objectKey === "string" && { key: objectKey }),
  };
  const place = { scheme: settings, id: idOf(item), nonce: n as Nonce, target, createdAtMs: atMs };
  return holdItem({ ...place, expiresAtS: openUntilS(settings, nowMs) }, hold);
}

function createdAtMs(item: Item): number {
  return momentOf(String(item["listSk"]));
}
