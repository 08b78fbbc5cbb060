/** Gives an operator's order, to pause or to resume, to an invocation. */
import type { Order } from "../../core/invocation/event.ts";
import { hex } from "../../core/model/hex.ts";
import type { ArrivalContent } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { deliverArrival, openLifeOf } from "../messaging/deliver.ts";
import { actNow } from "../store/operator-act.ts";
import type { Loaded } from "../store/load.ts";

const KEY_BYTES = 12;

/** Each order has a unique key. Its moment is later than that of every fresh order, even if this clock is behind. */
export async function giveOrder(
  engine: Engine,
  loaded: Loaded,
  order: Extract<ArrivalContent, { kind: Order["kind"] }>,
  by: string | undefined,
): Promise<void> {
  const key = `o${hex(engine.ids.random(KEY_BYTES))}`;
  const standing = standingOrders(loaded).map(({ atMs }) => atMs + 1);
  const atMs = Math.max(engine.clock.nowMs(), ...standing);
  const act = { ...actNow(engine, order.kind, by), atMs };
  await deliverArrival(engine, openLifeOf(engine, loaded), { key, content: order, atMs, act });
}

/** The fresh orders, which no segment lists yet. */
export function standingOrders({ arrivals }: Loaded): readonly Order[] {
  return [...arrivals.values()].filter((arrival) => arrival.kind === "pause" || arrival.kind === "resume");
}

/** True if the last fresh order is a pause. */
export function isToPause(loaded: Loaded): boolean {
  const orders = [...standingOrders(loaded)].sort((a, b) => a.atMs - b.atMs);
  return orders.at(-1)?.kind === "pause";
}
