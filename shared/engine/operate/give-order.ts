/** Gives an operator's order, to pause or to resume, to an invocation. */
import type { Arrival, Order } from "../../core/invocation/event.ts";
import { isCancel } from "../../core/invocation/orders.ts";
import { hex } from "../../core/model/hex.ts";
import type { ArrivalContent } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { deliverArrival, openLifeOf } from "../messaging/deliver.ts";
import { actNow } from "../store/operator-act.ts";
import type { Loaded } from "../store/load.ts";

const KEY_BYTES = 12;

/**
 * Each order has a unique key. The moment of a new order is later than the moments of all fresh orders and cancels, even if
 * the clock of this process is behind.
 */
export async function giveOrder(
  engine: Engine,
  loaded: Loaded,
  order: Extract<ArrivalContent, { kind: Order["kind"] }>,
  by: string | undefined,
): Promise<void> {
  const key = `o${hex(engine.ids.random(KEY_BYTES))}`;
  const earlier = ordersAndCancels(loaded).map(({ atMs }) => atMs + 1);
  const atMs = Math.max(engine.clock.nowMs(), ...earlier);
  const act = { ...actNow(engine, order.kind, by), atMs };
  await deliverArrival(engine, openLifeOf(engine, loaded), { key, content: order, atMs, act });
}

/** The fresh orders and cancels, which no segment lists yet, in their order. A cancel is a notification. */
function ordersAndCancels({ arrivals }: Loaded): readonly Arrival[] {
  return [...arrivals.values()]
    .filter((one) => one.kind === "pause" || one.kind === "resume" || (one.kind === "notification" && isCancel(one)))
    .sort((a, b) => a.atMs - b.atMs);
}

/** True if the last fresh order is a pause. */
export function isToPause(loaded: Loaded): boolean {
  return ordersAndCancels(loaded).findLast(({ kind }) => kind !== "notification")?.kind === "pause";
}

/** True if the last of the fresh orders and cancels ends a pause. */
export function isToGoOn(loaded: Loaded): boolean {
  const last = ordersAndCancels(loaded).at(-1);
  return last !== undefined && last.kind !== "pause";
}
