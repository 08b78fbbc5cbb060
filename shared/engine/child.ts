/** The children of a segment: calls are accepted and driven along where possible, sends go to the queue. */
import type { Acceptance, Source } from "../core/invocation/acceptance.ts";
import type { Effect } from "../core/invocation/effects.ts";
import type { EffectiveSettings } from "../core/model/service.ts";
import { targetText } from "../core/model/target.ts";
import { accept, heldByAcceptor, newNonce } from "./accept.ts";
import { NO_LEASE } from "./acceptance-record.ts";
import { writeSink } from "./attach-sink.ts";
import { completionOf } from "./completion.ts";
import type { Engine } from "./engine.ts";
import { nextLease } from "./grasp.ts";
import type { Held } from "./held.ts";
import { parkScheduled } from "./park-scheduled.ts";
import { retentionOf } from "./retention.ts";
import type { Loaded } from "./load.ts";
import { sendWake, wakeNow } from "./wake.ts";

type AcceptChild = Extract<Effect, { kind: "accept-child" }>;

/** A chain of calls is driven by one driver to this depth; what lies deeper goes through the queue. */
const DEPTH_MAX = 16;
/** So many calls of one invocation are driven along at a time. */
export const ALONGSIDE_MAX = 32;

/**
 * Resolves when the child is durable, not when it has ended.
 * @param room how many more children the driver can drive along
 * @returns a call that the driver of its caller drives along, its result being taken straight from it (design §3.2)
 */
export async function acceptChild(
  engine: Engine,
  held: Held,
  effect: AcceptChild,
  room: number,
): Promise<Held | undefined> {
  const { service, handler } = effect.child.target;
  const routing = engine.registry.known(service, handler) ?? (await engine.registry.route(service, handler));
  const settings = routing.found ? routing.route.settings : engine.settings.defaults;
  const acceptance = acceptanceOf(engine, held, effect, settings);
  const { completionId } = effect;
  const isThis = isMadeBy(held, effect);
  if (completionId === undefined) {
    await acceptSend(engine, acceptance, isThis);
    return undefined;
  }
  const tooSlow = engine.settings.leavesSlowToQueue === true && routing.found && routing.slow === true;
  const alongside = room > 0 && held.depth < DEPTH_MAX && !held.stopping && !tooSlow;
  const lease = alongside ? nextLease(engine, engine.drives.newToken()) : NO_LEASE;
  const acceptation = await accept(engine, acceptance, lease, isThis);
  if (acceptation.kind === "existing") {
    await joinExisting(engine, held, acceptation.loaded, completionId);
    return undefined;
  }
  if (alongside)
    return heldByAcceptor(engine, acceptance, lease, {
      depth: held.depth + 1,
      caller: { held, completionId },
      ...(routing.found && { route: routing.route }),
    });
  await sendWake(engine, acceptance.id, 0);
  return undefined;
}

/**
 * A redo meets the child that this command made before, which may have ended and expired since: it must not run again (I2).
 * An id that follows from the command belongs to no other; under a key, what was accepted before the command is a former life.
 */
function isMadeBy({ invocation }: Held, { child }: AcceptChild): (former: Acceptance) => boolean {
  const madeAtMs = invocation.modifiedAtMs;
  return ({ createdAtMs }) => child.idempotencyKey === undefined || createdAtMs >= madeAtMs;
}

function acceptanceOf(
  engine: Engine,
  held: Held,
  { child, childId, completionId, startAtMs }: AcceptChild,
  settings: EffectiveSettings,
): Acceptance {
  const { id, nonce, target: callerTarget, traceparent } = held.invocation.acceptance;
  const caller = { callerId: id, callerTarget: targetText(callerTarget) };
  const source: Source =
    completionId === undefined
      ? { kind: "send", ...caller }
      : { kind: "call", ...caller, callerNonce: nonce, completionId };
  return {
    id: childId,
    nonce: newNonce(engine),
    target: child.target,
    input: child.input,
    headers: child.headers,
    source,
    createdAtMs: engine.clock.nowMs(),
    ...retentionOf(settings, child.idempotencyKey !== undefined),
    ...(child.idempotencyKey !== undefined && { idempotencyKey: child.idempotencyKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(startAtMs !== undefined && { startAtMs }),
  };
}

/** A send has no driver yet: its message goes out also where it existed (I6), unless it has ended: two that send to each other would never rest. */
async function acceptSend(
  engine: Engine,
  acceptance: Acceptance,
  isThis: (former: Acceptance) => boolean,
): Promise<void> {
  const acceptation = await accept(engine, acceptance, NO_LEASE, isThis);
  if (acceptation.kind === "new") await startSend(engine, acceptance);
  else if (acceptation.loaded.invocation.standing.status !== "completed") await wakeNow(engine, acceptance.id);
}

/** Sends the message that starts an invocation without a driver, now or at its time. */
export async function startSend(engine: Engine, acceptance: Acceptance): Promise<void> {
  const { startAtMs, createdAtMs, id } = acceptance;
  if (startAtMs !== undefined && startAtMs > createdAtMs) await parkScheduled(engine, acceptance, startAtMs);
  else await sendWake(engine, id, 0);
}

/** The child lives already: a redo of ours, or somebody else's under the same idempotency key. */
async function joinExisting(engine: Engine, held: Held, loaded: Loaded, completionId: number): Promise<void> {
  const { acceptance, standing } = loaded.invocation;
  if (standing.status === "completed") return completionOf(held, completionId, standing.result, engine.clock.nowMs());
  const { source } = acceptance;
  const { id, nonce } = held.invocation.acceptance;
  const ours =
    source.kind === "call" &&
    source.callerId === id &&
    source.callerNonce === nonce &&
    source.completionId === completionId;
  if (!ours) await writeSink(engine, acceptance, { id, nonce }, completionId);
  await wakeNow(engine, acceptance.id);
}
