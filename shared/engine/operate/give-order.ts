/** Gives an order to an invocation: first the arrival, then the wake (I3). */
import type { Order } from "../../core/invocation/event.ts";
import { hex } from "../../core/model/hex.ts";
import { type ArrivalContent, arrivalItem } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { keepUntilS } from "../store/ttl.ts";
import { actAttributes, actNow } from "../store/operator-act.ts";
import type { Loaded } from "../store/load.ts";
import { wakeNow } from "../messaging/wake.ts";

const KEY_BYTES = 12;

/** Each order has its own key, and a moment later than that of every fresh order, even where this clock is behind. */
export async function giveOrder(
  engine: Engine,
  loaded: Loaded,
  order: Extract<ArrivalContent, { kind: Order["kind"] }>,
  by: string | undefined,
): Promise<void> {
  const { acceptance } = loaded.invocation;
  const { id, nonce } = acceptance;
  const nowMs = engine.clock.nowMs();
  const standing = standingOrders(loaded).map(({ atMs }) => atMs + 1);
  const key = `o${hex(engine.ids.random(KEY_BYTES))}`;
  const keptUntilS = keepUntilS(engine.settings, acceptance, nowMs, loaded.leaseRecord?.keepUntilS);
  const atMs = Math.max(nowMs, ...standing);
  const item = arrivalItem(engine.settings.keyPrefix, { id, nonce, key }, order, atMs, keptUntilS);
  await engine.table.put(
    { ...item, ...actAttributes({ ...actNow(engine, order.kind, by), atMs }) },
    { kind: "absent" },
  );
  await wakeNow(engine, acceptance);
}

/** The fresh orders: no segment lists them yet. */
export function standingOrders({ arrivals }: Loaded): readonly Order[] {
  return [...arrivals.values()].filter((arrival) => arrival.kind === "pause" || arrival.kind === "resume");
}

/** True where the last fresh order is a pause. */
export function isToPause(loaded: Loaded): boolean {
  const orders = [...standingOrders(loaded)].sort((a, b) => a.atMs - b.atMs);
  return orders.at(-1)?.kind === "pause";
}
