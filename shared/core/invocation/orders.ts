/** An operator's orders to pause and to resume: the last one counts, and each is obeyed once. */
import { CANCEL_SIGNAL } from "../protocol/command-parts.ts";
import { parkUntil } from "./deadlines.ts";
import type { Arrival, Poll, Order } from "./event.ts";
import { fold, type Invocation, type Status } from "./invocation.ts";
import { repeatsToKeep } from "./repeats.ts";
import { type After, NO_RETRIES, type Pin, type Segment, type Consumption } from "./segment.ts";
import type { Transition } from "./transition.ts";

type NotificationArrival = Extract<Arrival, { kind: "notification" }>;

const WAITS_TO_BEGIN: ReadonlySet<Status> = new Set(["scheduled", "pending", "ready"]);

/**
 * Obeys the orders by a segment that lists them, so that no order is obeyed twice. If an order names a deployment, the
 * segment carries the changed pin.
 * @returns undefined if there is no order to obey now
 */
export function obey(invocation: Invocation, { atMs, arrivals }: Poll): Transition | undefined {
  const orders = arrivals.filter(isOrder).sort(inOrder);
  const last = orders.at(-1);
  const { status } = invocation.phase;
  if (last === undefined || status === "completed") return undefined;
  const notifications = arrivals.filter((arrival) => arrival.kind === "notification");
  // Only the driver's memory has such a result. The segment of the order takes it, because no redo of a later driver brings it again.
  const unstored = notifications.filter(({ consumption }) => consumption.inline === true);
  const neverBegan = hasNotBegun(invocation);
  if (last.kind === "resume")
    return obeyed(
      invocation,
      atMs,
      orders,
      neverBegan ? { kind: "ready" } : { kind: "running" },
      takenInOrder(unstored),
    );
  const cancels = notifications.filter(isCancel);
  if (status !== "paused" || (cancels.length > 0 && cancels.every((cancel) => cancel.atMs < last.atMs))) {
    // The segment takes the notifications from before the order into the journal, so that a cancel among them does not end the
    // pause.
    const before = notifications.filter((arrival) => arrival.atMs <= last.atMs || unstored.includes(arrival));
    const after: After = { kind: "paused", neverBegan, leavesQueue: leavesQueue(invocation) };
    return obeyed(invocation, atMs, orders, after, takenInOrder(before));
  }
  // The invocation is already paused. The order is consumed when a later cancel or an order to resume ends the pause.
  if (cancels.length === 0) return undefined;
  return obeyed(invocation, atMs, orders, { kind: "running" }, takenInOrder(unstored));
}

/**
 * True if the invocation waits to begin, or was paused while it waited. After an order to resume, such an invocation waits
 * for its time and its key again.
 */
function hasNotBegun({ phase, attempts, neverBegan = false }: Invocation): boolean {
  return attempts === 0 && (WAITS_TO_BEGIN.has(phase.status) || (phase.status === "paused" && neverBegan));
}

/**
 * True if no stored item shows an attempt under the lock. An attempt of a driver that died may have left no trace; the segment
 * of the pause fences that driver, so the key is free for others.
 */
function leavesQueue({ acceptance, attempts, grant }: Invocation): boolean {
  return acceptance.handlerType === "exclusive" && attempts === 0 && grant === undefined;
}

function obeyed(
  invocation: Invocation,
  atMs: number,
  orders: readonly Order[],
  after: After,
  consumed: readonly Consumption[],
): Transition {
  const pin = changedPin(invocation, orders);
  const repeats = repeatsToKeep(invocation);
  const segment: Segment = {
    index: invocation.segmentIndex + 1,
    writtenAtMs: atMs,
    consumed,
    orders: orders.map(({ key }) => key),
    entries: [],
    after,
    retries: NO_RETRIES,
    ...(pin && { pin }),
    ...(repeats && { repeats }),
  };
  const next = fold(invocation, segment);
  return { next, segment, step: after.kind === "paused" ? parkUntil(next, atMs, "paused") : { kind: "poll" } };
}

/**
 * The pin with the last deployment that an order names. The protocol version of a journal stays; without stored entries, the
 * version of the order counts. Undefined if the pin does not change.
 */
function changedPin({ pin }: Invocation, orders: readonly Order[]): Pin | undefined {
  const asked = orders.findLast((order) => order.kind === "resume" && order.move !== undefined);
  if (asked?.kind !== "resume" || asked.move === undefined) return undefined;
  const { deploymentId } = asked.move;
  const protocolVersion = pin?.protocolVersion ?? asked.move.protocolVersion;
  return protocolVersion === undefined ? undefined : { deploymentId, protocolVersion };
}

/** Sorts notifications by the moment of arrival, which gives their order in the journal. */
export function takenInOrder(arrivals: readonly NotificationArrival[]): readonly Consumption[] {
  return [...arrivals]
    .sort((a, b) => a.atMs - b.atMs || compare(a.consumption.key, b.consumption.key))
    .map(({ consumption }) => consumption);
}

export function isCancel({ consumption }: NotificationArrival): boolean {
  return "index" in consumption.entry.id && consumption.entry.id.index === CANCEL_SIGNAL;
}

function isOrder(arrival: Arrival): arrival is Order {
  return arrival.kind === "pause" || arrival.kind === "resume";
}

function inOrder(a: Order, b: Order): number {
  return a.atMs - b.atMs || compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
