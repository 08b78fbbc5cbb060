/** Half-closes open exchanges that only wait, if other work needs what these exchanges hold: slots, journals or streams. */
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { OpenExchange } from "../local/open-attempt.ts";

/**
 * The share of the waiting exchanges that one round of the watch (`watch.ts`) half-closes to free slots of workers or room for
 * journals.
 */
const SHED_SHARE = 0.25;
const SHED_LEAST = 16;

/** The number of requests that wait for a stream, by deployment. */
export type Unsent = Map<DeploymentId, number>;

export function shedStreams({ activeInvocations, bulkheads }: Engine, nowMs: number, unsent: Unsent): void {
  const { streams } = activeInvocations;
  if (streams.waiting === 0) return;
  if (streams.areSlotsWanted || bulkheads.journals.waiting > 0) {
    const count = Math.max(SHED_LEAST, Math.ceil(SHED_SHARE * streams.waiting));
    if (streams.shed(nowMs, count, ({ holdsSlot }) => holdsSlot) > 0) streams.areSlotsWanted = false;
  }
  for (const [deploymentId, count] of unsent)
    streams.shed(nowMs, count, (exchange) => exchange.deploymentId === deploymentId);
}

/** A request that is still unsent after this time probably waits for a stream. */
const UNSENT_MS = 100;

export function noteUnsent(unsent: Unsent, exchange: OpenExchange, nowMs: number): void {
  if (nowMs - exchange.startedAtMs < UNSENT_MS || !exchange.isUnsent()) return;
  unsent.set(exchange.deploymentId, (unsent.get(exchange.deploymentId) ?? 0) + 1);
}
