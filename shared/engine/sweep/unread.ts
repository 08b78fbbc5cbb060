/** Handles an entry of the listing whose invocation is too large for a walk to load, or has killed a process. */
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { sendWake } from "../messaging/wake.ts";
import { firstRecord, listRecord, unreadPlace, putRecord } from "../lease/write-record.ts";
import { idOf } from "../store/index-walk.ts";
import { leaseRecordKey, momentOf } from "../store/item-keys.ts";
import type { Item } from "../ports/table.ts";

/** Drivers may write the lease record between the read and the note. */
const TRIES_MAX = 3;

/**
 * Notes an invocation in the open index and sends a message, unless the invocation was in that index before or its lease
 * record has the status `completed`. The worker loads the invocation, and redoes its final effects if it has ended.
 * An invocation that is old enough for this walk and not in the open index has no live driver: a live driver would have renewed
 * its lease, and a renewal puts the invocation into the open index. The message may be lost, and the listing is walked only
 * once; so later passes find the invocation in the open index (I8).
 * @param item an entry of the listing
 * @throws Error if other processes write the lease record first in every try
 */
export async function noteUnread(engine: Engine, item: Item): Promise<void> {
  const { settings, clock } = engine;
  const [id, service] = [idOf(item), String(item["service"])];
  let noted = await note(engine, item);
  for (let tries = 1; noted === "outrun" && tries < TRIES_MAX; tries++) noted = await note(engine, item);
  if (noted === "outrun") throw new Error("others write its lease record again and again");
  if (noted === "needless") return;
  engine.log.write("sweeper.look-skipped", {
    invocationId: id,
    ageS: Math.round((clock.nowMs() - createdAtMs(item)) / 1000),
    keyPrefix: settings.keyPrefix,
  });
  await sendWake(engine, { id, target: { service } }, 0);
}

async function note(engine: Engine, item: Item): Promise<"noted" | "needless" | "outrun"> {
  const id = idOf(item);
  const existing = await engine.table.get(leaseRecordKey(item.pk, item["n"] as Nonce));
  const lookAtMs = engine.clock.nowMs() + checkIntervalMs(engine.settings);
  if (existing === undefined) {
    const place = unreadPlace(id, item);
    // `firstRecord` sets `base` to 0, so that a driver that has loaded any later segment may replace this lease record.
    const record = firstRecord(engine, place, { status: "ready", lookAtMs });
    return (await putRecord(engine, place, record, { kind: "absent" })) ? "noted" : "outrun";
  }
  if (typeof existing["lookAtMs"] === "number" || existing["status"] === "completed") return "needless";
  return (await listRecord(engine, id, existing, lookAtMs)) ? "noted" : "outrun";
}

function createdAtMs(item: Item): number {
  return momentOf(String(item["listSk"]));
}
