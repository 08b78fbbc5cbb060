/** Drives the invocation of a new record at once in the process that accepts it, as an ingress request does. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Route } from "../../core/model/deployment.ts";
import { activeByAcceptor } from "../accept/accept.ts";
import { PendingAcceptance } from "../accept/pending-acceptance.ts";
import { drive } from "../drive/drive.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/claim.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { OwnAcceptance } from "../local/own-acceptance.ts";
import { acquire } from "../lock/acquire.ts";

/**
 * No caller waits for the acceptance of a record, so it waits for the first segment longer than that of a call, and saves two
 * writes and a message. The next record of a key waits as long for the end of this one, and saves its place in the queue.
 */
const ENDS_WITHIN_MS = 400;
/** A handler that runs for longer is not busy with others: a wait for it would only hold up the records behind it. */
const SLOW_FROM_MS = 1_000;

/** `running`: the acceptance is durable, and the drive goes on. `no-slot`: nothing has happened. */
export type RecordDrive = "over" | "running" | "no-slot";

/** True if records can be driven at once: the process owns its store alone. A workflow's run may exist already. */
export function drivesRecords({ settings }: Engine, { handler }: Route): boolean {
  return settings.acceptanceWaitMs !== undefined && handler.type !== "workflow";
}

/**
 * Resolves when the acceptance is durable, and has the lock of its key or a ticket for it. The acceptance may be written
 * together with the first segment, so the caller has to know that no invocation has this id.
 * @throws StoreError; whether the acceptance was written is unknown
 */
export async function acceptAndDrive(engine: Engine, acceptance: Acceptance, route: Route): Promise<RecordDrive> {
  const { records } = engine.bulkheads;
  const lane = acceptance.target.service;
  if (!records.take(lane)) return "no-slot";
  const lease = nextLease(engine, engine.activeInvocations.newToken());
  const waitMs = engine.bulkheads.slowSinks.has(sinkOf(acceptance))
    ? engine.settings.acceptanceWaitMs!
    : ENDS_WITHIN_MS;
  const pending = new PendingAcceptance(engine, acceptance, lease, waitMs);
  const active = activeByAcceptor(engine, acceptance, lease, new OwnAcceptance(route, pending));
  pending.durable.catch(() => active.lose());
  const begun = acceptance.handlerType === "exclusive" ? acquire(engine, active) : undefined;
  let isOver = false;
  const driving = driveOn(engine, active, pending, begun).finally(() => {
    isOver = true;
    records.give(lane);
  });
  await pending.durable;
  if (begun !== undefined) {
    await begun;
    await Promise.race([driving, aMoment(engine, waitMs)]);
  }
  return isOver ? "over" : "running";
}

/**
 * Never fails: the backstop brings a worker, and the acceptor learns from `durable` and `begun` what has failed.
 * @param begun resolves when the invocation has its place at the key, which the acceptor takes in the order of the records (I6)
 */
async function driveOn(
  engine: Engine,
  active: ActiveInvocation,
  pending: PendingAcceptance,
  begun: Promise<unknown> | undefined,
): Promise<void> {
  try {
    if (begun !== undefined) await begun;
    const beganMs = engine.clock.nowMs();
    const end = await drive(engine, active);
    noteDuration(engine, active.invocation.acceptance, engine.clock.nowMs() - beganMs);
    if (end === "ended" && pending.backstop !== undefined) await engine.queue.recall(await pending.backstop);
  } catch {
    // See above.
  }
}

function noteDuration({ bulkheads: { slowSinks } }: Engine, acceptance: Acceptance, tookMs: number): void {
  if (tookMs < SLOW_FROM_MS) slowSinks.delete(sinkOf(acceptance));
  else slowSinks.add(sinkOf(acceptance));
}

function sinkOf({ target: { service, handler } }: Acceptance): string {
  return `${service}/${handler}`;
}

function aMoment({ activeInvocations }: Engine, waitMs: number): Promise<void> {
  return new Promise((resolve) => activeInvocations.delayed.add(waitMs, resolve));
}
