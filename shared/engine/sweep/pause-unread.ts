/** Pauses an invocation by its lease record alone, because a load of the invocation may kill the process. */
import { keptFailure } from "../../core/model/attempt-failure.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { type LeaseRecord, leaseRecordItem, readLeaseRecord } from "../store/lease-record.ts";
import { ACCEPTANCE_SK, leaseRecordKey, invocationPk, momentOf } from "../store/item-keys.ts";
import { isLeased } from "../store/load.ts";
import { keepUntilS, openUntilS } from "../store/ttl.ts";
import type { Item } from "../ports/table.ts";

/** A base above every segment index: no invocation has so many segments. */
const BEHIND_ALL = 999_999;
const TRIES_MAX = 5;

/**
 * Costs two reads of single items. The lease record then shows `paused`, whatever the last segment is; only a final segment
 * takes precedence. An operator's resume works as after any other pause.
 * @throws Error where a driver has the lease, or other processes write the lease record first in every try
 */
export async function pauseUnread(engine: Engine, id: InvocationId, reason: string): Promise<void> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const first = await engine.table.get({ pk, sk: ACCEPTANCE_SK });
    if (first === undefined || first["end"] === true) return;
    const existing = await engine.table.get(leaseRecordKey(pk, first["n"] as Nonce));
    if (existing?.["status"] === "completed") return;
    if (existing !== undefined && isLeased(engine, { lease: readLeaseRecord(existing) }, engine.clock.nowMs()))
      throw new Error("a driver holds it after all");
    const unchanged =
      existing === undefined
        ? ({ kind: "absent" } as const)
        : ({ kind: "equal", attribute: "token", value: String(existing["token"]) } as const);
    const hold = paused(engine, id, { first, existing, reason });
    const put = await engine.table.put(hold, unchanged);
    // A repeated put whose first answer was lost is refused, and finds its own token.
    if (!put.written && put.existing?.["token"] !== hold["token"]) continue;
    engine.meter.count("invocations_paused_total");
    engine.log.write("invocation.paused", { invocationId: id, reason });
    return;
  }
  throw new Error("others write its hold again and again");
}

interface Found {
  readonly first: Item;
  readonly existing: Item | undefined;
  readonly reason: string;
}

function paused(engine: Engine, id: InvocationId, { first, existing, reason }: Found): Item {
  const { settings, clock, activeInvocations } = engine;
  const nowMs = clock.nowMs();
  const before = existing === undefined ? undefined : readLeaseRecord(existing);
  const createdAtMs = momentOf(String(first["listSk"]));
  const keptUntilS = before?.keepUntilS ?? openUntilS(settings, createdAtMs);
  const { wakeAtMs: _wakeAtMs, silentSinceMs: _silentSinceMs, ...kept }: Partial<LeaseRecord> = before ?? {};
  const leaseRecord: LeaseRecord = {
    attempts: 0,
    ...kept,
    base: BEHIND_ALL,
    token: activeInvocations.newToken(),
    untilMs: 0,
    status: "paused",
    retries: NO_RETRIES,
    lookAtMs: nowMs + checkIntervalMs(settings),
    keepUntilS: keptUntilS,
    lastFailure: keptFailure({ errorCode: "RT0006", code: 500, message: reason, atMs: nowMs }),
  };
  const { service, handler, objectKey } = first;
  const target = {
    service: String(service),
    handler: String(handler),
    ...(typeof objectKey === "string" && { key: objectKey }),
  };
  const expiresAtS = keepUntilS(settings, { completionRetentionMs: 0 }, nowMs, keptUntilS);
  const place = { scheme: settings, id, nonce: first["n"] as Nonce, target, createdAtMs };
  return leaseRecordItem({ ...place, expiresAtS }, leaseRecord);
}
