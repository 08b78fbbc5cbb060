/** Accepts an invocation whose caller does not wait for the result, and drives it at once or leaves it to the queue. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { accept, type Acceptation, activeByAcceptor } from "../accept/accept.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { isDelayed, startAgain, startSend } from "../accept/start-send.ts";
import { acceptSingleton, isSingleton, type Singleton } from "./singleton.ts";
import { submit } from "./submit.ts";
import type { Sent, Submission, SubmitRejection } from "../ports/submission.ts";
import { sendWake } from "../messaging/wake.ts";
import type { Route } from "../../core/model/deployment.ts";
import { NO_SLOTS } from "../admission/worker-slots.ts";
import { PendingAcceptance } from "../accept/pending-acceptance.ts";
import { drive, type DriveEnd } from "../drive/drive.ts";
import { nextLease } from "../lease/claim.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { OwnAcceptance } from "../local/own-acceptance.ts";
import { StoreError } from "../ports/table.ts";
import { mayDriveSends } from "../ports/store-ownership.ts";

/**
 * The longest time for which the acceptance of a send waits to be written together with the first segment. The time is shorter
 * than for a call, because the sender waits until the acceptance is durable. A handler that ends within this time saves two
 * writes and a message.
 */
const JOINED_WITHIN_MS = 8;

/** Resolves when the invocation is durable. */
export async function send(engine: Engine, submission: Submission): Promise<Sent | SubmitRejection> {
  const submitted = await submit(engine, submission);
  if (submitted.kind !== "acceptance") return submitted;
  const { acceptance, route } = submitted;
  const { id, startAtMs } = acceptance;
  if (isSingleton(acceptance)) return await sendSingleton(engine, acceptance, submission);
  const isFresh = submission.idempotencyKey === undefined && !isDelayed(acceptance);
  if (isFresh && drivesAtOnce(engine, route) && (await acceptAndDrive(engine, acceptance, route, JOINED_WITHIN_MS)))
    return {
      kind: "sent",
      invocationId: id,
      status: "accepted",
      ...(startAtMs !== undefined && { executionTimeMs: startAtMs }),
    };
  const acceptation = await acceptAndStart(engine, acceptance);
  const isNew = acceptation.kind === "new";
  const executionTimeMs = isNew ? startAtMs : acceptation.loaded.invocation.acceptance.startAtMs;
  return {
    kind: "sent",
    invocationId: id,
    status: isNew ? "accepted" : "previously-accepted",
    ...(executionTimeMs !== undefined && { executionTimeMs }),
  };
}

async function sendSingleton(
  engine: Engine,
  acceptance: Singleton,
  { options = {} }: Submission,
): Promise<Sent | SubmitRejection> {
  const accepted = await acceptSingleton(engine, acceptance, options);
  if (accepted.kind === "held") return accepted;
  const isNew = accepted.kind === "new";
  const { id, startAtMs } = isNew ? accepted.acceptance : accepted.loaded.invocation.acceptance;
  return {
    kind: "sent",
    invocationId: id,
    status: isNew ? "accepted" : "previously-accepted",
    ...(startAtMs !== undefined && { executionTimeMs: startAtMs }),
  };
}

/** Resolves when the invocation is durable and has a message, a timer or a place in the queue of its key. */
export async function acceptAndStart(
  engine: Engine,
  acceptance: Acceptance,
  isThis?: Parameters<typeof accept>[3],
): Promise<Acceptation> {
  // The message may go out together with the put, because a worker that finds no acceptance yet sends the message again.
  // For an exclusive handler it goes out later, after the invocation has the lock or a ticket (I6).
  const atOnce = !isDelayed(acceptance) && acceptance.handlerType !== "exclusive";
  const [acceptation] = await Promise.all([
    accept(engine, acceptance, NO_LEASE, isThis),
    atOnce ? sendWake(engine, acceptance, 0) : undefined,
  ]);
  // If the put replaced a former life, a worker may have found that life before the put and acked the first message.
  if (acceptation.kind === "new") {
    if (!atOnce || acceptation.instead === true) await startSend(engine, acceptance);
  } else if (!atOnce) {
    await startAgain(engine, acceptation.loaded);
  }
  return acceptation;
}

/**
 * True if the process can drive new invocations of the handler at once: it shares its store with no other process, its worker
 * runs and is not stopping, and the handler is not the run of a workflow, whose id follows from the key and may exist already.
 */
export function drivesAtOnce({ settings, activeInvocations }: Engine, { handler }: Route): boolean {
  if (!mayDriveSends(settings) || handler.type === "workflow") return false;
  return activeInvocations.slots !== NO_SLOTS && !activeInvocations.stopping;
}

/**
 * Resolves when the acceptance is durable. An exclusive invocation must also have its place at its key by then, so that the next
 * invocation of the same sender comes behind it (I6). The drive goes on afterwards. The acceptance may be written together with
 * the first segment, so the caller must be sure that no invocation with this id exists.
 * @param joinedWithinMs the longest wait of the acceptance for the first segment
 * @returns false if the worker has no slot for the service; nothing has happened then
 * @throws StoreError; the acceptance may have been written or not
 */
export async function acceptAndDrive(
  engine: Engine,
  acceptance: Acceptance,
  route: Route,
  joinedWithinMs: number,
): Promise<boolean> {
  const giveSlot = engine.activeInvocations.slots.take(acceptance.target.service);
  if (giveSlot === undefined) return false;
  const lease = nextLease(engine, engine.activeInvocations.newToken());
  const pending = new PendingAcceptance(engine, acceptance, lease, joinedWithinMs);
  const active = activeByAcceptor(engine, acceptance, lease, new OwnAcceptance(route, pending));
  pending.durable.catch(() => active.lose());
  const placed = acceptance.handlerType === "exclusive" ? active.lock.whenPlaced() : undefined;
  const driving = driveToEnd(engine, active, pending).finally(giveSlot);
  // After a failed drive, the backstop makes a worker drive the invocation.
  driving.catch(() => undefined);
  await pending.durable;
  // If the drive stops before the invocation has its place at the key, this function throws. For its caller, the acceptance is
  // then as uncertain as after a failed write. A drive also stops without an error: if the write of the lock fails, or if the process
  // is about to end.
  const end = placed === undefined ? "ended" : await Promise.race([placed, driving]);
  if (end === "lost" || end === "parked") throw new StoreError(`${acceptance.id} has no place at its key yet`);
  return true;
}

async function driveToEnd(engine: Engine, active: ActiveInvocation, pending: PendingAcceptance): Promise<DriveEnd> {
  const end = await drive(engine, active);
  if (end === "ended" && pending.backstop !== undefined) await engine.queue.recall(await pending.backstop);
  return end;
}
