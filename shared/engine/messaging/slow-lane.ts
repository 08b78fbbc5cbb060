/** Decides which work goes to the slow lane of the queue: messages, calls, and long attempts of the main lane. */
import type { Engine } from "../engine.ts";
import { type ActiveInvocation, rootOf } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import type { Wake } from "../ports/queue.ts";

/**
 * True if the service is slow, and the message does not name the service, so that the queue could not choose the lane. The
 * worker then sends the message again with the name, and the queue puts it into the slow lane.
 */
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

/** If an attempt waits for its deployment for this many times `slowFromMs`, it is cut and leaves the worker. */
const HAND_ON_AFTER = 5;

/**
 * True if the exchange stays open and its handler may await a call that is driven along. The call may then be what takes long,
 * so the time does not count as time of the caller.
 */
export function isHeldForChildren({ children }: ActiveInvocation, { halfClose }: OpenExchange): boolean {
  return halfClose !== undefined && children.size > 0;
}

/**
 * Cuts a long attempt in the main lane, so that its invocation goes on in the slow lane. The attempt is cut in the same way as
 * when the time of a function ends. Attempts that began before their service had a slow note may have taken all workers of the
 * main lane. An attempt of a service without a slow note is not cut, because its message would come back to the main lane, and
 * the attempt would never end.
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
