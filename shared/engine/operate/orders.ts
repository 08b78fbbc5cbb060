/** Orders of an operator to one invocation: cancel, pause, and what the orders so far mean together. */
import type { Arrival, Order } from "../../core/invocation/event.ts";
import { isCancel } from "../../core/invocation/orders.ts";
import { hex } from "../../core/model/hex.ts";
import type { ArrivalContent } from "../store/arrival-record.ts";
import type { Engine } from "../engine.ts";
import { type NewArrival, deliverArrival, openLifeOf } from "../messaging/deliver.ts";
import { actNow } from "../store/operator-act.ts";
import { type Loaded, hasExpired, isLeased, load, pollOf, unperformed } from "../store/load.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { knownNow } from "./known-now.ts";
import { loadHeads } from "../store/recorder.ts";
import type { Interruption, Pausing } from "../ports/submission.ts";
import { advance } from "../../core/invocation/advance.ts";
import { CANCEL_SIGNAL } from "../../core/protocol/command-parts.ts";
import { drive } from "../drive/drive.ts";
import { claim } from "../lease/claim.ts";
import { wakeNow } from "../messaging/wake.ts";

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

/** @param by the operator, if one was authenticated */
export async function pause(engine: Engine, id: InvocationId, by?: string): Promise<Pausing> {
  const loaded = await loadHeads(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const { status } = knownNow(engine, loaded).phase;
  if (status === "completed") return "completed";
  if (status === "paused" && !isToGoOn(loaded)) return "done";
  await giveOrder(engine, loaded, { kind: "pause" }, by);
  return "noted";
}

/** @param by the operator, if one was authenticated */
export async function cancel(engine: Engine, id: InvocationId, by?: string): Promise<Interruption> {
  const loaded = await loadHeads(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const { phase, acceptance, neverBegan = false } = loaded.invocation;
  if (phase.status === "completed") return "completed";
  const isPausedAtStart = phase.status === "paused" && neverBegan;
  const waits =
    phase.status === "scheduled" || phase.status === "pending" || phase.status === "ready" || isPausedAtStart;
  const arrival: NewArrival = {
    // Each cancel counts, so each has its own key.
    key: `x${hex(engine.ids.random(12))}`,
    content: { kind: "notification", id: { index: CANCEL_SIGNAL }, result: undefined },
    act: actNow(engine, "cancel", by),
  };
  // Without the delay, a worker would race with this process for the claim; the delayed wake is the backstop of this process.
  await deliverArrival(engine, openLifeOf(engine, loaded), arrival, waits ? engine.settings.leaseMs : 0);
  if (!waits) return "noted";
  if (await endNow(engine, id)) return "done";
  await wakeNow(engine, acceptance);
  return "noted";
}

/** An invocation that waits for its start has no driver, so this process claims it and ends it by a poll. */
async function endNow(engine: Engine, id: InvocationId): Promise<boolean> {
  const loaded = await load(engine, id);
  if (loaded === undefined || isLeased(engine, loaded, engine.clock.nowMs())) return false;
  if (loaded.invocation.phase.status === "completed") return true;
  const { step } = advance(loaded.invocation, pollOf(loaded, engine.clock.nowMs()));
  // An invocation that has begun goes on in a worker: the operator's request does not wait for its handler.
  if (step.kind !== "end") return false;
  const active = await claim(engine, loaded, { messageDriven: false });
  return active !== undefined && (await drive(engine, active, unperformed(loaded))) === "ended";
}
