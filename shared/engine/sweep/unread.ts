/** Handles an entry of the listing whose invocation is too large for a walk to load, or has killed a process. */
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { sendWake } from "../messaging/wake.ts";
import { type LeaseRecord, leaseRecordItem } from "../store/lease-record.ts";
import { idOf } from "../store/index-walk.ts";
import { leaseRecordKey, momentOf, openKeys } from "../store/item-keys.ts";
import { openUntilS } from "../store/ttl.ts";
import type { Item } from "../ports/table.ts";

/** Drivers may write the lease record between the read and the note. */
const TRIES_MAX = 3;

/**
 * Notes an invocation in the open index and sends a message, unless the invocation was in that index before or its lease
 * record is completed. The worker loads the invocation, and redoes its final effects where it has ended. An invocation that
 * is old enough for this walk and not in the open index has no live driver: a live driver would have renewed its lease,
 * which puts it there. The message may be lost, and the listing is walked only once, so later passes find the invocation in
 * the open index (I8).
 * @param item an entry of the listing
 * @throws Error where other processes write the lease record first in every try
 */
export async function noteUnread(engine: Engine, item: Item): Promise<void> {
  const { settings, clock } = engine;
  const [id, service] = [idOf(item), String(item["service"])];
  let noted = await note(engine, item);
  for (let tries = 1; noted === "outrun" && tries < TRIES_MAX; tries++) noted = await note(engine, item);
  if (noted === "outrun") throw new Error("others write its hold again and again");
  if (noted === "needless") return;
  engine.log.write("sweeper.look-skipped", {
    invocationId: id,
    ageS: Math.round((clock.nowMs() - createdAtMs(item)) / 1000),
    keyPrefix: settings.keyPrefix,
  });
  await sendWake(engine, { id, target: { service } }, 0);
}

async function note(engine: Engine, item: Item): Promise<"noted" | "needless" | "outrun"> {
  const { settings, table, clock } = engine;
  const key = leaseRecordKey(item.pk, item["n"] as Nonce);
  const existing = await table.get(key);
  if (existing === undefined) {
    const hold = newHold(engine, item);
    const put = await table.put(hold, { kind: "absent" });
    return put.written || put.existing?.["token"] === hold["token"] ? "noted" : "outrun";
  }
  if (typeof existing["lookAtMs"] === "number" || existing["status"] === "completed") return "needless";
  const lookAtMs = clock.nowMs() + checkIntervalMs(settings);
  const same = { kind: "equal", attribute: "token", value: String(existing["token"]) } as const;
  const update = await table.update(key, { set: { ...openKeys(settings, idOf(item), lookAtMs), lookAtMs } }, same);
  return update.written ? "noted" : "outrun";
}

function newHold(engine: Engine, item: Item): Item {
  const { settings, clock, activeInvocations } = engine;
  const [nowMs, atMs] = [clock.nowMs(), createdAtMs(item)];
  const { service, handler, objectKey, n } = item;
  const leaseRecord: LeaseRecord = {
    // The lowest base, so that every driver may replace this lease record.
    base: 0,
    token: activeInvocations.newToken(),
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
  return leaseRecordItem({ ...place, expiresAtS: openUntilS(settings, nowMs) }, leaseRecord);
}

function createdAtMs(item: Item): number {
  return momentOf(String(item["listSk"]));
}
