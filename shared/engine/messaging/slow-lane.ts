/** The lane of the queue for slow services: what belongs there, and leaves the drivers of the main lane. */
import type { Engine } from "../engine.ts";
import { type Held, letGo, type OpenExchange } from "../local/held.ts";
import type { Wake } from "../ports/queue.ts";

/** A message whose sender knew an id alone, and whose service turns out to be slow: it goes on with the name. */
export function belongsInSlowLane({ settings, registry }: Engine, wake: Wake, service: string): boolean {
  return settings.hasSlowLane === true && wake.service === undefined && registry.isSlow(service);
}

/** A call of a slow service is left to its lane: driven along, it would hold the worker of its caller. */
export function leavesToSlowLane({ settings, registry }: Engine, service: string): boolean {
  return settings.hasSlowLane === true && registry.isSlow(service);
}

/** Of `slowFromMs`: an attempt that is open for so long leaves the worker. What ends before is not made twice. */
const HAND_ON_AFTER = 5;

/**
 * The first attempts of a service that nobody knows as slow may have taken all workers of the main lane: they are cut, as
 * where the time of a function is up, and go on in the slow lane. Only where the service is known as slow, since its
 * message would come back otherwise, and the attempt never end.
 */
export function handOn(engine: Engine, held: Held, exchange: OpenExchange, nowMs: number): boolean {
  const { slowFromMs } = engine.settings;
  if (slowFromMs === undefined || held.stopping || nowMs - exchange.startedAtMs < HAND_ON_AFTER * slowFromMs)
    return false;
  const { service, handler } = held.invocation.acceptance.target;
  if (rootOf(held).inMainLane !== true || !engine.registry.isSlow(service)) return false;
  engine.log.info("a long attempt is handed on to the slow lane", { invocationId: held.id, service, handler });
  held.stopping = true;
  letGo(held, "stopping");
  held.ring?.();
  return true;
}

/** The driver that a message started, of what it drives along. */
function rootOf(held: Held): Held {
  return held.caller === undefined ? held : rootOf(held.caller.held);
}
