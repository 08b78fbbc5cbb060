/** Starting what nobody drives yet: a message, a place in the queue of its key, or a timer. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { lookIfStale } from "../keyed/acquire.ts";
import type { Engine } from "../engine.ts";
import type { Loaded } from "../ledger/load.ts";
import { isHeldBy, takeOrQueue } from "../keyed/object-lock.ts";
import { lockAt, placeOf } from "../ledger/object-place.ts";
import { parkPending, parkScheduled } from "./park-at-start.ts";
import { sendWake, wakeNow } from "./wake.ts";

/** Sends the message that starts an invocation without a driver, now or at its time. */
export async function startSend(engine: Engine, acceptance: Acceptance): Promise<void> {
  const { startAtMs } = acceptance;
  if (startAtMs !== undefined && isDelayed(acceptance)) await parkScheduled(engine, acceptance, startAtMs);
  else if (acceptance.handlerType === "exclusive") await standInLineOrLater(engine, acceptance);
  else await sendWake(engine, acceptance, 0);
}

export function isDelayed({ startAtMs, createdAtMs }: Pick<Acceptance, "startAtMs" | "createdAtMs">): boolean {
  return startAtMs !== undefined && startAtMs > createdAtMs;
}

/** A store that refuses the lock leaves an acceptance without a message, which the sweeper would find minutes later. */
async function standInLineOrLater(engine: Engine, acceptance: Acceptance): Promise<void> {
  try {
    await standInLine(engine, acceptance);
  } catch (error) {
    await sendWake(engine, acceptance, engine.settings.leaseMs).catch(() => undefined);
    throw error;
  }
}

/** I6: the order of acceptance is the order of starts, so the acceptor takes the lock or queues, and not whoever drives later. */
async function standInLine(engine: Engine, acceptance: Acceptance): Promise<void> {
  const pk = placeOf(engine, acceptance.target);
  const taking = await takeOrQueue(engine, pk, acceptance);
  if (taking.kind === "held") return void (await sendWake(engine, acceptance, 0));
  await parkPending(engine, acceptance, taking.ticket);
  await lookIfStale(engine, pk, acceptance.target, taking);
}

/**
 * Somebody has accepted it before, and may have died before it was started. What has ended is left alone, or two that
 * send to each other would never rest; but one that ran exclusively may have to give its lock back still.
 */
export async function startAgain(engine: Engine, { invocation, hold }: Loaded): Promise<void> {
  const { acceptance, standing, segmentIndex } = invocation;
  const isExclusive = acceptance.handlerType === "exclusive";
  if (standing.status === "completed" && !isExclusive) return;
  const mayBeNowhere = isExclusive && segmentIndex === 0 && hold === undefined && !isDelayed(acceptance);
  if (mayBeNowhere && !isHeldBy(await lockAt(engine, placeOf(engine, acceptance.target)), acceptance))
    await standInLine(engine, acceptance);
  else await wakeNow(engine, acceptance);
}
