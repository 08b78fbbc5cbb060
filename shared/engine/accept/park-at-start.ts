/** Parks invocations that cannot begin yet: delayed ones wait for their moment, others for the lock of their key (I6). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { hasComeToHold } from "../lock/acquire.ts";
import type { Engine } from "../engine.ts";
import { checkIntervalMs } from "../ports/engine-settings.ts";
import { firstRecord, putRecord } from "../lease/write-record.ts";
import { claimCondition, type LeaseRecord } from "../store/lease-record.ts";
import { isFar, sendWake, wakeAt } from "../messaging/wake.ts";

/**
 * From its acceptance on, a delayed send is in the open index at its start. As with every park, the timer of a far start is set
 * before the park that relies on it.
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

/** Sends a wake if the invocation's turn came before the park was written, because that wake may have found no park (I4). */
export async function parkPending(engine: Engine, acceptance: Acceptance, ticket: number): Promise<void> {
  const lookAtMs = engine.clock.nowMs() + checkIntervalMs(engine.settings);
  await parkAtStart(engine, acceptance, { status: "pending", ticket, lookAtMs });
  if (await hasComeToHold(engine, { invocation: { acceptance } })) await sendWake(engine, acceptance, 0);
}

async function parkAtStart(
  engine: Engine,
  acceptance: Acceptance,
  how: Pick<LeaseRecord, "status" | "wakeAtMs" | "timerAtMs" | "lookAtMs" | "ticket">,
): Promise<void> {
  await putRecord(engine, acceptance, firstRecord(engine, acceptance, how), claimCondition(0, undefined));
}
