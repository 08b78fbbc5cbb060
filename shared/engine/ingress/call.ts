/**
 * A request that waits for its result: the same process accepts and drives the invocation, without a queue between
 * (docs/design.md#the-ingress-drives-inline). On AWS, a worker drives a handler with a slow note.
 */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { admitDriver } from "../admission/admission.ts";
import { accept, activeByAcceptor } from "../accept/accept.ts";
import { type Lease, NO_LEASE } from "../store/acceptance-record.ts";
import { endedOf, waitForEnd } from "./attach.ts";
import { ALREADY_RUN } from "../effects/child.ts";
import { drive } from "../drive/drive.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/claim.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { OwnAcceptance } from "../local/own-acceptance.ts";
import { isLeased, type Loaded } from "../store/load.ts";
import { PendingAcceptance } from "../accept/pending-acceptance.ts";
import type { MessageHandle } from "../ports/queue.ts";
import type { Ended, SubmitRejection, Submission } from "../ports/submission.ts";
import { startAgain, startSend } from "../accept/start-send.ts";
import { acceptSingleton, isSingleton, type Singleton } from "./singleton.ts";
import { type Admitted, submit } from "./submit.ts";
import { isResultVisible } from "../lock/object-lock.ts";
import { sendWake } from "../messaging/wake.ts";

/** Accepts an invocation, and waits for its result. @param signal aborts when the caller has gone; the invocation goes on */
export async function call(
  engine: Engine,
  submission: Submission,
  signal?: AbortSignal,
): Promise<Ended | SubmitRejection> {
  const submitted = await submit(engine, submission);
  if (submitted.kind !== "acceptance") return submitted;
  const { acceptance } = submitted;
  if (isSingleton(acceptance)) return await callSingleton(engine, acceptance, submission, signal);
  if (admitDriver(engine, acceptance.target.service, submitted.slow).kind !== "go")
    return await callByWorker(engine, acceptance, signal);
  const lease = nextLease(engine, engine.activeInvocations.newToken());
  const isFresh = submission.idempotencyKey === undefined && acceptance.handlerType !== "workflow";
  const started = isFresh ? startFresh(engine, submitted, lease) : await startKeyed(engine, submitted, lease);
  if ("loaded" in started) return await joinCall(engine, started.loaded, signal);
  const { active, durable } = started;
  if ((await drive(engine, active)) !== "ended") {
    await durable;
    return await answer(engine, acceptance, signal);
  }
  const backstop = started.backstop();
  if (backstop !== undefined) void engine.queue.recall(await backstop);
  return endedOf(active.invocation, undefined);
}

/** A worker drives it, as a send: the caller whose request comes later may end it before its start. */
async function callSingleton(
  engine: Engine,
  acceptance: Singleton,
  { options = {} }: Submission,
  signal: AbortSignal | undefined,
): Promise<Ended | SubmitRejection> {
  const accepted = await acceptSingleton(engine, acceptance, options);
  if (accepted.kind === "held") return accepted;
  if (accepted.kind === "existing") return await joinCall(engine, accepted.loaded, signal);
  return await answer(engine, accepted.acceptance, signal);
}

interface Started {
  readonly active: ActiveInvocation;
  /** Resolves when the acceptance is durable; undefined if it is already. */
  readonly durable?: Promise<void>;
  /** The message that is due when the lease is over; undefined if none was sent. */
  backstop(): Promise<MessageHandle> | MessageHandle | undefined;
}

/** A random id has no other life, so the first attempt may overlap the put; `commit` waits for the acceptance. */
function startFresh(engine: Engine, { acceptance, route }: Admitted, lease: Lease): Started {
  const pending = new PendingAcceptance(engine, acceptance, lease);
  const { durable } = pending;
  const active = activeByAcceptor(engine, acceptance, lease, new OwnAcceptance(route, pending));
  // If the acceptance fails, the driver stops: no segment of the attempt could be committed.
  durable.catch(() => active.lose());
  return { active, durable, backstop: () => pending.backstop };
}

/** @returns the invocation that another request with the same key has begun, if there is one */
async function startKeyed(
  engine: Engine,
  { acceptance, route }: Admitted,
  lease: Lease,
): Promise<Started | { readonly loaded: Loaded }> {
  const [acceptation, backstop] = await Promise.all([
    accept(engine, acceptance, lease),
    sendWake(engine, acceptance, engine.settings.leaseMs),
  ]);
  if (acceptation.kind === "existing") return acceptation;
  return { active: activeByAcceptor(engine, acceptance, lease, new OwnAcceptance(route)), backstop: () => backstop };
}

/**
 * Leaves a handler with a slow note to a worker, which has more time; this driver would cut the attempt again
 * (docs/design.md#a-driver-stops-in-time).
 */
async function callByWorker(engine: Engine, acceptance: Acceptance, signal: AbortSignal | undefined): Promise<Ended> {
  const acceptation = await accept(engine, acceptance, NO_LEASE);
  if (acceptation.kind === "existing") return await joinCall(engine, acceptation.loaded, signal);
  await startSend(engine, acceptance);
  return await answer(engine, acceptance, signal);
}

/** Joins the invocation that already exists under the same id, and starts it again if no process drives it. */
async function joinCall(engine: Engine, loaded: Loaded, signal: AbortSignal | undefined): Promise<Ended> {
  const { invocation } = loaded;
  const nowMs = engine.clock.nowMs();
  const { id, target, handlerType } = invocation.acceptance;
  if (handlerType === "workflow") return { kind: "ended", invocationId: id, target, result: ALREADY_RUN };
  if (await isResultVisible(engine, invocation)) return endedOf(invocation, nowMs);
  if (!isLeased(engine, loaded, nowMs)) await startAgain(engine, loaded);
  return await answer(engine, invocation.acceptance, signal);
}

async function answer(engine: Engine, acceptance: Acceptance, signal: AbortSignal | undefined): Promise<Ended> {
  const { id, target } = acceptance;
  const end = await waitForEnd(engine, acceptance, signal);
  if (end !== undefined) return end;
  // The invocation ended between two polls and left no record: it was killed before its first attempt, or its retention is zero.
  return {
    kind: "ended",
    invocationId: id,
    target,
    result: { kind: "failure", failure: { code: 410, message: "gone" } },
  };
}
