/** Decides which work belongs to the slow lane of the queue and leaves the drivers of the main lane. */
import type { Engine } from "../engine.ts";
import { type ActiveInvocation, letGo, type OpenExchange } from "../local/active-invocation.ts";
import type { Wake } from "../ports/queue.ts";

/** True for a message whose sender had only an id, and whose service is slow: the worker forwards it with the service's name. */
export function belongsInSlowLane({ settings, registry }: Engine, wake: Wake, service: string): boolean {
  return settings.hasSlowLane === true && wake.service === undefined && registry.isSlow(service);
}

/** A call of a slow service stays in the slow lane: driven along, it would occupy the worker of its caller. */
export function leavesToSlowLane({ settings, registry }: Engine, service: string): boolean {
  return settings.hasSlowLane === true && registry.isSlow(service);
}

/** An attempt that is open for this many times `slowFromMs` leaves the worker. A shorter attempt is not repeated. */
const HAND_ON_AFTER = 5;

/**
 * The first attempts of a service, made before it has a note, may take all workers of the main lane: the worker cuts them, as
 * at the end of a function's time, and they go on in the slow lane. The service needs a note first: otherwise its message
 * would come back to the main lane, and the attempt would never end.
 */
export function handOn(engine: Engine, active: ActiveInvocation, exchange: OpenExchange, nowMs: number): boolean {
  const { slowFromMs } = engine.settings;
  if (slowFromMs === undefined || active.stopping || nowMs - exchange.startedAtMs < HAND_ON_AFTER * slowFromMs)
    return false;
  const { service, handler } = active.invocation.acceptance.target;
  if (rootOf(active).inMainLane !== true || !engine.registry.isSlow(service)) return false;
  engine.log.write("attempt.handed-on", { invocationId: active.id, service, handler });
  active.stopping = true;
  letGo(active, "stopping");
  active.interrupt?.();
  return true;
}

/** The driver that a message started, also for a child that it drives along. */
function rootOf(active: ActiveInvocation): ActiveInvocation {
  return active.caller === undefined ? active : rootOf(active.caller.active);
}
