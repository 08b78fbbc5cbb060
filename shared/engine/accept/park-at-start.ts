/** Parks invocations that cannot begin yet, because they wait for their moment or for the lock of their key (I6). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { hasComeToHold } from "../lock/acquire.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { firstRecord, putRecord } from "../lease/write-record.ts";
import { claimCondition, type LeaseRecord } from "../store/lease-record.ts";
import { isFar, sendWake, wakeAt } from "../messaging/wake.ts";

/** The segment with which a restart begins, if it does: its index 1, and the deployment that it sets. */
export type Beginning = Partial<Pick<LeaseRecord, "base" | "deploymentId">>;

/**
 * Parks a delayed send. In the open index, the next look at the send is due at its start. If the start is far, the timer is set
 * before the park, because the park relies on the timer.
 */
export async function parkScheduled(engine: Engine, acceptance: Acceptance, startAtMs: number): Promise<void> {
  const how = { status: "scheduled", wakeAtMs: startAtMs, lookAtMs: startAtMs } as const;
  if (!isFar(engine, startAtMs)) {
    await parkAtStart(engine, acceptance, how);
    return await wakeAt(engine, acceptance, startAtMs);
  }
  await wakeAt(engine, acceptance, startAtMs);
  await parkAtStart(engine, acceptance, { ...how, timerAtMs: startAtMs });
}

/**
 * Parks the invocation. Sends a wake if the invocation was granted its key meanwhile, because the wake of the hand-over
 * may have come before the park (I4).
 */
export async function parkPending(
  engine: Engine,
  acceptance: Acceptance,
  ticket: number,
  beginning: Beginning = {},
): Promise<void> {
  const lookAtMs = engine.clock.nowMs() + checkIntervalMs(engine.settings);
  await parkAtStart(engine, acceptance, { status: "pending", ticket, lookAtMs, ...beginning });
  if (await hasComeToHold(engine, { invocation: { acceptance } })) await sendWake(engine, acceptance, 0);
}

async function parkAtStart(
  engine: Engine,
  acceptance: Acceptance,
  how: Pick<LeaseRecord, "status" | "wakeAtMs" | "timerAtMs" | "lookAtMs" | "ticket"> & Beginning,
): Promise<void> {
  const record = firstRecord(engine, acceptance, how);
  await putRecord(engine, acceptance, record, claimCondition(record.base, undefined));
}
