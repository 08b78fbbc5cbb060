/** Decides which work goes to the slow lane of the queue: messages, calls, and long attempts of the main lane. */
import type { Engine } from "../engine.ts";
import { type ActiveInvocation, rootOf } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import type { Wake } from "../ports/queue.ts";

/** True if the service is slow and the message lacks its name. The worker then sends the message again with the name. */
export function belongsInSlowLane({ settings, registry }: Engine, wake: Wake, service: string): boolean {
  return settings.hasSlowLane === true && wake.service === undefined && registry.isSlow(service);
}

/**
 * True for a slow service. A call to the service goes to the slow lane, because a call that is driven along occupies the
 * worker of its caller.
 */
export function leavesToSlowLane({ settings, registry }: Engine, service: string): boolean {
  return settings.hasSlowLane === true && registry.isSlow(service);
}

/** A step of an attempt that takes this many times `slowFromMs` is cut and leaves the worker. A shorter one goes on. */
const HAND_ON_AFTER = 5;

/**
 * True if the exchange stays open and its handler may await a call that is driven along. The call may then be what takes long,
 * so the time does not count as time of the caller.
 */
export function isHeldForChildren({ children }: ActiveInvocation, { halfClose }: OpenExchange): boolean {
  return halfClose !== undefined && children.size > 0;
}

/**
 * Cuts a long attempt in the main lane, as at the end of a function's time, so that its invocation goes on in the slow lane:
 * attempts that began before their service had a note may have taken all workers of the main lane. Without a note, no attempt
 * is cut: its message would come back to the main lane, and the attempt would never end.
 * @returns true if the attempt was cut
 */
export function handOn(engine: Engine, active: ActiveInvocation, exchange: OpenExchange, nowMs: number): boolean {
  const { slowFromMs } = engine.settings;
  const { turnSinceMs } = active.attempt;
  if (slowFromMs === undefined || active.isStopping || nowMs - turnSinceMs < HAND_ON_AFTER * slowFromMs) return false;
  if (isHeldForChildren(active, exchange)) return false;
  const { service, handler } = active.invocation.acceptance.target;
  if (rootOf(active).origin.inMainLane !== true || !engine.registry.isSlow(service)) return false;
  engine.log.write("attempt.handed-on", { invocationId: active.id, service, handler });
  active.stop(nowMs);
  return true;
}
