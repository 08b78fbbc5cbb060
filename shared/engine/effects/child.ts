/** Accepts the children of a segment in turns. Calls are driven along if possible; other calls and sends go to the queue. */
import { type Acceptance, isMadeByCall, livesOnce, type Source } from "../../core/invocation/acceptance.ts";
import { deadlinesFor } from "../../core/invocation/deadlines.ts";
import type { Effect } from "../../core/invocation/effects.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Result } from "../../core/model/failure.ts";
import { optionsIn, withoutOptions } from "../../core/model/request-options.ts";
import { type Target, targetText, type TargetTypes } from "../../core/model/target.ts";
import { admitDriver } from "../admission/admission.ts";
import { acquire } from "../lock/acquire.ts";
import { accept, activeByAcceptor, newNonce } from "../accept/accept.ts";
import { PendingAcceptance } from "../accept/pending-acceptance.ts";
import { type Lease, NO_LEASE } from "../store/acceptance-record.ts";
import { writeSink } from "./attach-sink.ts";
import { withKey } from "../attempt/command-rejections.ts";
import { complete, completionOf } from "../messaging/deliver.ts";
import type { Engine } from "../engine.ts";
import { nextLease } from "../lease/claim.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { OwnAcceptance } from "../local/own-acceptance.ts";
import { parkPending, startAgain, startSend } from "../accept/start-send.ts";
import type { Routing } from "../ports/registry.ts";
import { retentionOf } from "../store/ttl.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { traceparentBelow } from "../traces.ts";
import { wakeNow } from "../messaging/wake.ts";
import type { Performance, Performer } from "./performer.ts";
import { acceptanceWaitMs } from "../ports/store-ownership.ts";

type AcceptChild = Extract<Effect, { kind: "accept-child" }>;

/** One driver drives a chain of calls down to this depth; deeper calls go through the queue. */
const DEPTH_MAX = 16;

/**
 * Resolves when the child is durable, and does not wait for its end. There is one exception: for a child that is driven along,
 * it may resolve earlier, while the acceptance still waits to be written together with the first segment of the child.
 * @param room the number of further children that the driver can drive along
 * @returns the call, if the driver of its caller shall drive it along and take its result from memory
 *   (docs/design.md#calls-are-driven-inline); else undefined
 */
async function acceptChild(
  engine: Engine,
  { by, driver, redoOfMs }: Performance,
  effect: AcceptChild,
  room: number,
): Promise<ActiveInvocation | undefined> {
  const { service, handler } = effect.child.target;
  const routing = engine.registry.known(service, handler) ?? (await engine.registry.route(service, handler));
  const acceptance = acceptanceOf(engine, by.invocation, effect, routing);
  const { completionId } = effect;
  const isThis = isMadeBy(by.invocation, acceptance, redoOfMs !== undefined);
  if (completionId === undefined) {
    await acceptSend(engine, acceptance, isThis);
    return undefined;
  }
  const admission = admitDriver(engine, service, routing.found && routing.slow === true);
  const along = room > 0 && admission.kind === "go" && mayDriveAlong(driver) ? driver : undefined;
  const lease = along ? nextLease(engine, engine.activeInvocations.newToken()) : NO_LEASE;
  if (along !== undefined && mayWait(engine, acceptance, redoOfMs)) {
    const pending = new PendingAcceptance(engine, acceptance, lease, acceptanceWaitMs(engine.settings), false);
    const child = childOf(engine, along, acceptance, lease, completionId, routing, pending);
    pending.durable.catch(() => child.lose());
    return child;
  }
  const join = (existing: Loaded): Promise<void> => joinExisting(engine, by, existing, completionId);
  const acceptation = await accept(engine, acceptance, lease, isThis, undefined, join);
  if (acceptation.kind === "existing") return undefined;
  if (along === undefined) {
    await startSend(engine, acceptance);
    return undefined;
  }
  const child = childOf(engine, along, acceptance, lease, completionId, routing);
  // Takes the lock here, not when the child is driven, so that the calls of one handler to one key keep their order (I6).
  if (acceptance.handlerType !== "exclusive" || (await acquire(engine, child)) === "held") return child;
  await parkPending(engine, acceptance, child.lease.ticket!);
  along.children.notePark(completionId);
  return undefined;
}

/**
 * True if the acceptance may wait for the child's first segment: the id follows from the command alone, and the command is
 * performed for the first time, so no invocation has the id. The caller writes nothing before the acceptance is durable
 * (`Children.settle`). The acceptance of an exclusive child does not wait, because the child takes its key after the acceptance,
 * in the order of the calls (I6).
 */
function mayWait({ settings }: Engine, child: Acceptance, redoOfMs: number | undefined): boolean {
  const isFresh = redoOfMs === undefined && livesOnce(child) && child.handlerType !== "exclusive";
  return acceptanceWaitMs(settings) > 0 && isFresh && child.startAtMs === undefined;
}

function childOf(
  engine: Engine,
  along: ActiveInvocation,
  acceptance: Acceptance,
  lease: Lease,
  completionId: number,
  routing: Routing,
  pending?: PendingAcceptance,
): ActiveInvocation {
  const ownAcceptance = new OwnAcceptance(routing.found ? routing.route : undefined, pending);
  return activeByAcceptor(engine, acceptance, lease, ownAcceptance, {
    messageDriven: false,
    depth: along.origin.depth + 1,
    caller: { active: along, completionId },
  });
}

function mayDriveAlong(driver: ActiveInvocation | undefined): boolean {
  return driver !== undefined && driver.origin.depth < DEPTH_MAX && !driver.isStopping;
}

/**
 * @returns a function that is true for a stored invocation which an earlier performance of this command may have made or
 *   found. A redo must not run this invocation again, even if the invocation has ended and expired since (I2). An id that
 *   follows from the command has only one maker. If the id follows from an idempotency key or a workflow id, an invocation
 *   that had expired at the moment of the command is a former life. An invocation that expired after that moment may have been
 *   found by an earlier performance
 */
function isMadeBy(
  { modifiedAtMs: askedAtMs }: Invocation,
  child: Acceptance,
  isRedo: boolean,
): (former: Loaded) => boolean {
  return (former) =>
    livesOnce(child) ||
    former.invocation.acceptance.createdAtMs >= askedAtMs ||
    (isRedo && !hasExpired(former, askedAtMs));
}

function acceptanceOf(
  engine: Engine,
  { acceptance: caller, modifiedAtMs }: Invocation,
  { child, childId, types, attempt, completionId, startAtMs, commandIndex }: AcceptChild,
  routing: Routing,
): Acceptance {
  const settings = routing.found ? routing.route.settings : engine.settings.defaults;
  const { serviceType, handlerType } = types ?? typesIn(routing, child.target);
  const { target } = withKey(child, { serviceType });
  const { id, nonce, target: callerTarget, createdBy } = caller;
  const traceparent = traceparentBelow(engine, caller, attempt);
  // `expand` has refused commands with bad options.
  const options = optionsIn(child.headers);
  const { priority, ...asked } = typeof options === "string" ? {} : options;
  // This moment is never before the moment of the command, even if this clock is behind, because `isMadeBy` compares the two
  // moments.
  const createdAtMs = Math.max(engine.clock.nowMs(), modifiedAtMs);
  const beginning = { createdAtMs, ...(startAtMs !== undefined && { startAtMs }) };
  const named = { callerId: id, callerTarget: targetText(callerTarget) };
  const source: Source =
    completionId === undefined
      ? { kind: "send", ...named }
      : { kind: "call", ...named, callerNonce: nonce, completionId };
  return {
    id: childId,
    nonce: newNonce(engine),
    target,
    serviceType,
    handlerType,
    input: child.input,
    headers: withoutOptions(child.headers),
    source,
    ...beginning,
    ...deadlinesFor(asked, settings, engine.settings.endGraceMs, beginning, caller),
    ...retentionOf(settings, child.idempotencyKey !== undefined, handlerType),
    ...(child.idempotencyKey !== undefined && { idempotencyKey: child.idempotencyKey }),
    ...(child.limitKey !== undefined && { limitKey: child.limitKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(createdBy !== undefined && { createdBy }),
    ...(priority !== undefined && { priority }),
    ...(mayBeLimited(engine, target) && { commandIndex }),
  };
}

function mayBeLimited({ registry }: Engine, { scope }: Target): boolean {
  return scope !== undefined || !registry.rulesKnown().isEmpty;
}

/**
 * The types of a child of a segment that does not have them. Without a route the effect fails, and is performed once the service
 * is registered again: an exclusive child that was accepted as shared would run without its key (I6).
 */
function typesIn(routing: Routing, target: Target): TargetTypes {
  if (!routing.found)
    throw new Error(`no deployment offers ${targetText(target)}, so its child cannot be accepted yet`);
  const { service, handler } = routing.route;
  return { serviceType: service.type, handlerType: handler.type };
}

/**
 * Accepts a send. The sent invocation has no driver yet, so it is started even if its acceptance was already stored (I6). An
 * invocation that has ended gets no message: otherwise two invocations that send to each other would exchange messages for
 * ever. An exclusive one gets a message even then, because it may still have to give its lock back.
 */
async function acceptSend(engine: Engine, acceptance: Acceptance, isThis: (former: Loaded) => boolean): Promise<void> {
  const acceptation = await accept(engine, acceptance, NO_LEASE, isThis);
  if (acceptation.kind === "new") await startSend(engine, acceptance);
  else await startAgain(engine, acceptation.loaded);
}

/** The answer to every further call of a workflow's run, because a workflow runs once. The run may be open or have ended. */
export const ALREADY_RUN: Result = {
  kind: "failure",
  failure: { code: 409, message: "the workflow method was already invoked" },
};

/** Attaches to an existing child. Its maker is this command, or another caller under the same idempotency key or workflow id. */
async function joinExisting(engine: Engine, by: Performer, loaded: Loaded, completionId: number): Promise<void> {
  const { acceptance, phase } = loaded.invocation;
  const { id: callerId, nonce: callerNonce } = by.invocation.acceptance;
  const ours = isMadeByCall(acceptance, { callerId, callerNonce, completionId });
  const nowMs = engine.clock.nowMs();
  if (acceptance.handlerType === "workflow" && !ours) return completionOf(by, completionId, ALREADY_RUN, nowMs);
  await startAgain(engine, loaded);
  if (phase.status === "completed") return await complete(engine, by, completionId, phase.result);
  if (ours) return;
  const { id, nonce, target } = by.invocation.acceptance;
  await writeSink(engine, acceptance, { id, nonce, target }, completionId, loaded.leaseRecord?.keepUntilS);
  await wakeNow(engine, acceptance);
}

/**
 * Each calling service is a lane. If one service accepts a million children, another service waits for only one of these
 * acceptances.
 * @returns as `acceptChild`; a returned child holds a slot until `leaveSlot`
 */
export async function acceptChildInTurn(
  engine: Engine,
  performance: Performance,
  effect: AcceptChild,
  room: number,
): Promise<ActiveInvocation | undefined> {
  const { acceptances, alongside, pace } = engine.bulkheads;
  const { service } = effect.child.target;
  const caller = performance.by.invocation.acceptance.target.service;
  const breaking = pace.step(caller);
  if (breaking !== undefined) await breaking;
  const hasSlot = room > 0 && alongside.take(service);
  let child: ActiveInvocation | undefined;
  try {
    child = await acceptances.take(caller, () => acceptChild(engine, performance, effect, hasSlot ? room : 0));
    return child;
  } finally {
    if (hasSlot && child === undefined) alongside.give(service);
  }
}

/** Gives the slot back when the driver stops driving the child along. */
export function leaveSlot({ bulkheads }: Engine, child: ActiveInvocation): void {
  bulkheads.alongside.give(child.invocation.acceptance.target.service);
}
