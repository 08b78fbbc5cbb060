/** Starts an invocation that has no driver yet: by a message, by a place in the queue of its key, or by a timer (I6). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { firstDeadlineMs } from "../../core/invocation/deadlines.ts";
import { hasComeToHold, lookIfStale } from "../lock/acquire.ts";
import type { Engine } from "../engine.ts";
import type { Loaded } from "../store/load.ts";
import { isHeldBy, takeOrQueue } from "../lock/object-lock.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { isFar, sendWake, wakeAt, wakeNow } from "../messaging/wake.ts";
import { firstRecord, putRecord } from "../lease/write-record.ts";
import { claimCondition, type LeaseRecord } from "../store/lease-record.ts";

/**
 * A delayed invocation is parked, an exclusive one takes its key or queues for it, and any other gets a wake.
 */
export async function startSend(engine: Engine, acceptance: Acceptance, beginning: Beginning = {}): Promise<void> {
  const { startAtMs } = acceptance;
  if (startAtMs !== undefined && isDelayed(acceptance)) await parkScheduled(engine, acceptance, startAtMs);
  else if (acceptance.handlerType === "exclusive") await standInLineOrLater(engine, acceptance, beginning);
  else await sendWake(engine, acceptance, 0);
}

export function isDelayed({ startAtMs, createdAtMs }: Pick<Acceptance, "startAtMs" | "createdAtMs">): boolean {
  return startAtMs !== undefined && startAtMs > createdAtMs;
}

/** If the store fails at the lock, a message makes a worker try again; the sweeper would come minutes later. */
async function standInLineOrLater(engine: Engine, acceptance: Acceptance, beginning: Beginning): Promise<void> {
  try {
    await standInLine(engine, acceptance, beginning);
  } catch (error) {
    await sendWake(engine, acceptance, engine.settings.leaseMs).catch(() => undefined);
    throw error;
  }
}

/** I6: invocations of a key start in the order of acceptance, so the acceptor, not the driver, takes the lock or queues. */
async function standInLine(engine: Engine, acceptance: Acceptance, beginning: Beginning = {}): Promise<void> {
  const pk = objectPartition(engine, acceptance.target);
  const taking = await takeOrQueue(engine, pk, acceptance);
  if (taking.kind === "held") return void (await sendWake(engine, acceptance, 0));
  await parkPending(engine, acceptance, taking.ticket, beginning);
  await lookIfStale(engine, pk, acceptance.target, taking);
}

/**
 * Starts an invocation that another process has accepted, because that process may have died before the start. A
 * completed invocation gets no wake; otherwise two invocations that send to each other would wake each other for ever.
 * A completed exclusive invocation does get a wake, because it may still have to give its lock back. A lease record shows no place at
 * the key: a driver may have renewed its lease, and died before it took the lock.
 */
export async function startAgain(engine: Engine, { invocation, leaseRecord }: Loaded): Promise<void> {
  const { acceptance, phase, segmentIndex } = invocation;
  const isExclusive = acceptance.handlerType === "exclusive";
  if (phase.status === "completed" && !isExclusive) return;
  const hasNoTicket =
    leaseRecord === undefined || (leaseRecord.status === "running" && leaseRecord.ticket === undefined);
  const mayBeNowhere = isExclusive && segmentIndex === 0 && hasNoTicket && !isDelayed(acceptance);
  if (mayBeNowhere && !isHeldBy(await lockAt(engine, objectPartition(engine, acceptance.target)), acceptance))
    await standInLine(engine, acceptance);
  else await wakeNow(engine, acceptance);
}

/** The segment with which a restart begins, if it does: its index 1, and the deployment that it sets. */
export type Beginning = Partial<Pick<LeaseRecord, "base" | "deploymentId">>;

/**
 * Parks a delayed send. In the open index, the next look at the send is due at its start. If the start is far, the timer is set
 * before the park, because the park relies on the timer.
 */
async function parkScheduled(engine: Engine, acceptance: Acceptance, startAtMs: number): Promise<void> {
  const wakeAtMs = Math.min(startAtMs, firstDeadlineMs(acceptance));
  await parkUntil(engine, acceptance, { status: "scheduled", lookAtMs: wakeAtMs }, wakeAtMs);
}

async function parkUntil(engine: Engine, acceptance: Acceptance, how: StartPark, wakeAtMs: number): Promise<void> {
  if (!isFar(engine, wakeAtMs)) {
    await parkAtStart(engine, acceptance, { ...how, wakeAtMs });
    return await wakeAt(engine, acceptance, wakeAtMs);
  }
  await wakeAt(engine, acceptance, wakeAtMs);
  await parkAtStart(engine, acceptance, { ...how, wakeAtMs, timerAtMs: wakeAtMs });
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
  const lookAtMs = engine.clock.nowMs() + engine.settings.checkIntervalMs;
  const how = { status: "pending", ticket, ...beginning } as const;
  const deadlineMs = firstDeadlineMs(acceptance);
  if (deadlineMs === Infinity) await parkAtStart(engine, acceptance, { ...how, lookAtMs });
  else await parkUntil(engine, acceptance, { ...how, lookAtMs: Math.min(lookAtMs, deadlineMs) }, deadlineMs);
  if (await hasComeToHold(engine, { invocation: { acceptance } })) await sendWake(engine, acceptance, 0);
}

type StartPark = Pick<LeaseRecord, "status" | "wakeAtMs" | "timerAtMs" | "lookAtMs" | "ticket"> & Beginning;

async function parkAtStart(engine: Engine, acceptance: Acceptance, how: StartPark): Promise<void> {
  const record = firstRecord(engine, acceptance, how);
  await putRecord(engine, acceptance, record, claimCondition(record.base, undefined));
}
