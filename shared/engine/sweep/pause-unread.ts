/** Pauses an invocation without loading it, because the load may kill the process. Only the lease record is written. */
import { keptFailure } from "../../core/model/attempt-failure.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { firstRecord, unreadPlace, putRecord, type RecordPlace } from "../lease/write-record.ts";
import { type LeaseRecord, readLeaseRecord } from "../store/lease-record.ts";
import { ACCEPTANCE_SK, leaseRecordKey, invocationPk } from "../store/item-keys.ts";
import { isLeased } from "../store/load.ts";
import { isOutlived } from "../store/outlived.ts";
import type { Item } from "../ports/table.ts";

/**
 * A lease record counts only if its base is not below the index of the last segment. No invocation has so many segments, so a
 * record with this base counts, whatever the index is.
 */
const BEHIND_ALL = 999_999;
const TRIES_MAX = 5;

/**
 * Costs two reads of single items and one write. Afterwards the invocation counts as paused, unless its last segment is final.
 * An operator can resume the invocation as after any other pause.
 * @throws Error if a driver has the lease, or if in every try another process writes the lease record first
 */
export async function pauseUnread(engine: Engine, id: InvocationId, reason: string): Promise<void> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const first = await engine.table.get({ pk, sk: ACCEPTANCE_SK });
    if (first === undefined || first["end"] === true) return;
    const existing = await engine.table.get(leaseRecordKey(pk, first["n"] as Nonce));
    const leaseRecord = existing && readLeaseRecord(existing);
    const untilMs = leaseRecord?.untilMs ?? 0;
    if (isOutlived(engine, { expiresAtS: first["expiresAtS"], leaseRecord, untilMs })) return;
    if (leaseRecord !== undefined && isLeased(engine, { lease: leaseRecord }, engine.clock.nowMs()))
      throw new Error("a driver has its lease after all");
    const unchanged =
      existing === undefined
        ? ({ kind: "absent" } as const)
        : ({ kind: "equal", attribute: "token", value: String(existing["token"]) } as const);
    const place = unreadPlace(id, first);
    if (!(await putRecord(engine, place, paused(engine, place, existing, reason), unchanged))) continue;
    engine.meter.count("invocations_paused_total");
    engine.log.write("invocation.paused", { invocationId: id, reason });
    return;
  }
  throw new Error("others write its lease record again and again");
}

function paused(engine: Engine, place: RecordPlace, existing: Item | undefined, reason: string): LeaseRecord {
  const nowMs = engine.clock.nowMs();
  const before: Partial<LeaseRecord> = existing === undefined ? {} : readLeaseRecord(existing);
  const { wakeAtMs: _wakeAtMs, silentSinceMs: _silentSinceMs, token: _token, ...kept } = before;
  return firstRecord(engine, place, {
    ...kept,
    base: BEHIND_ALL,
    untilMs: 0,
    status: "paused",
    retries: NO_RETRIES,
    lookAtMs: nowMs + engine.settings.checkIntervalMs,
    lastFailure: keptFailure({ errorCode: "RT0006", code: 500, message: reason, atMs: nowMs }),
  });
}
