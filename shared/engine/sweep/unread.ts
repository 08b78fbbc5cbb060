/** Handles an entry of the listing whose invocation no walk loads: it is too large, has killed a process, or its looks fail. */
import type { Nonce } from "../../core/model/ids.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { sendWake } from "../messaging/wake.ts";
import { isOutlived } from "../store/outlived.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import { firstRecord, listRecord, unreadPlace, putRecord } from "../lease/write-record.ts";
import { idAt, idOf, type IndexPosition } from "../store/index-walk.ts";
import { ACCEPTANCE_SK, invocationPk, leaseRecordKey, momentOf } from "../store/item-keys.ts";
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
  if (!(await listUnread(engine, item, engine.settings.checkIntervalMs))) return;
  engine.log.write("sweeper.look-skipped", {
    invocationId: idOf(item),
    ageS: Math.round((engine.clock.nowMs() - createdAtMs(item)) / 1000),
    keyPrefix: engine.settings.keyPrefix,
  });
  await sendWake(engine, { id: idOf(item), target: { service: String(item["service"]) } }, 0);
}

/** An invocation whose looks have failed again and again is looked at once a day: the cause may be mended by then. */
const ABANDONED_LOOK_MS = DAY_MS;

/**
 * Gives up an entry of the listing whose looks have failed again and again. No later walk passes the entry, so it is noted in
 * the open index as it is. There, extensions keep its items until the cause of the failures is mended.
 * @returns false if the store fails; the entry is then still to be remembered
 */
export async function abandon(engine: Engine, place: IndexPosition, tries: number): Promise<boolean> {
  const id = idAt(place);
  const key = { pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK };
  try {
    const item = await engine.table.get(key);
    if (item?.["listSk"] === place) await listUnread(engine, item, ABANDONED_LOOK_MS);
  } catch (error) {
    engine.log.write("sweeper.look-failed", { invocationId: id, error: String(error) });
    return false;
  }
  engine.log.write("sweeper.look-abandoned", { invocationId: id, tries });
  return true;
}

/** Puts the invocation into the open index. @returns false if it was there before, or its lease record shows the end */
async function listUnread(engine: Engine, item: Item, lookAfterMs: number): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const noted = await note(engine, item, lookAfterMs);
    if (noted !== "outrun") return noted === "noted";
  }
  throw new Error("others write its lease record again and again");
}

/**
 * A lease record counts only if its base is not below the index of the last segment. So this record says nothing about the
 * invocation but its place in the open index: the acceptance shows whether an attempt may have begun. Any driver may replace it.
 */
const BEFORE_ALL = -1;

async function note(engine: Engine, item: Item, lookAfterMs: number): Promise<"noted" | "needless" | "outrun"> {
  const id = idOf(item);
  const existing = await engine.table.get(leaseRecordKey(item.pk, item["n"] as Nonce));
  const lookAtMs = engine.clock.nowMs() + lookAfterMs;
  if (typeof existing?.["lookAtMs"] === "number") return "needless";
  const first = await engine.table.get({ pk: item.pk, sk: ACCEPTANCE_SK });
  if (first?.["n"] !== item["n"]) return "needless";
  const leaseRecord = existing && readLeaseRecord(existing);
  const { expiresAtS, end } = first!;
  if (isOutlived(engine, { expiresAtS, end, leaseRecord, untilMs: leaseRecord?.untilMs ?? 0 })) return "needless";
  if (existing === undefined) {
    const place = unreadPlace(id, item);
    const record = firstRecord(engine, place, { base: BEFORE_ALL, status: "ready", lookAtMs });
    return (await putRecord(engine, place, record, { kind: "absent" })) ? "noted" : "outrun";
  }
  return (await listRecord(engine, id, existing, lookAtMs)) ? "noted" : "outrun";
}

function createdAtMs(item: Item): number {
  return momentOf(String(item["listSk"]));
}
