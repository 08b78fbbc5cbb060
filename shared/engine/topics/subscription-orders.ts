/** Pauses, resumes and resets subscriptions, and stores the errors that keep them from consuming. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import { resetAfter, type ResetTarget } from "../../core/topics/position.ts";
import type { SubscriptionPause, SubscriptionState } from "../../core/topics/subscription-state.ts";
import type { BadRecordReason } from "../../core/topics/topic-record.ts";
import type { Engine } from "../engine.ts";
import { changeKafka } from "../register/kafka-items.ts";

export interface BadRecord {
  readonly partition: number;
  readonly offset: number;
  readonly reason: BadRecordReason;
  readonly detail: string;
}

/** A repeated error is stored again only after this time: few writes suffice to keep its stored moment roughly right. */
const ERROR_EVERY_MS = 10_000;

/** A subscription that is paused already keeps its first pause. @returns false if there is no such subscription */
export async function pauseSubscription(engine: Engine, id: SubscriptionId, by?: string): Promise<boolean> {
  const pause = { reason: "order", atMs: engine.clock.nowMs(), ...(by !== undefined && { by }) } as const;
  return await changeState(engine, id, (state) => ({ ...state, pause: state.pause ?? pause }));
}

/**
 * A subscription that paused at a bad record reads that record again.
 * @returns false if there is no such subscription
 */
export async function resumeSubscription(engine: Engine, id: SubscriptionId): Promise<boolean> {
  return await changeState(engine, id, ({ reset, lastError }) => ({
    ...(reset && { reset }),
    ...(lastError && { lastError }),
  }));
}

/**
 * Lets the subscription read again from another place; records that it reads again invoke their handlers again. A later reset
 * replaces an earlier one for each partition that the later one concerns.
 * @returns false if there is no such subscription
 */
export async function resetSubscription(engine: Engine, id: SubscriptionId, to: ResetTarget): Promise<boolean> {
  const atMs = engine.clock.nowMs();
  return await changeState(engine, id, (state) => ({
    ...state,
    reset: resetAfter(state.reset, to, atMs),
  }));
}

/** Pauses the subscription before a bad record, unless it is paused already. */
export async function pauseAtRecord(engine: Engine, id: SubscriptionId, bad: BadRecord): Promise<SubscriptionPause> {
  const { partition, offset, reason: badRecord, detail } = bad;
  const atMs = engine.clock.nowMs();
  const pause: SubscriptionPause = { reason: "bad-record", atMs, partition, offset, badRecord, detail };
  await changeState(engine, id, (state) => ({ ...state, pause: state.pause ?? pause }));
  engine.log.write("subscription.paused", { subscriptionId: id, partition, offset, reason: badRecord, detail });
  return pause;
}

/** Stores the error for operators. Never fails, because the consumer tries again in any case. */
export async function noteSubscriptionError(
  engine: Engine,
  id: SubscriptionId,
  message: string,
  partition?: number,
): Promise<void> {
  const atMs = engine.clock.nowMs();
  engine.log.write("subscription.failed", { subscriptionId: id, error: message, partition });
  const lastError = { atMs, message, ...(partition !== undefined && { partition }) };
  const isOld = ({ lastError: former }: SubscriptionState): boolean =>
    former === undefined || former.message !== message || former.atMs + ERROR_EVERY_MS <= atMs;
  await changeState(engine, id, (state) => (isOld(state) ? { ...state, lastError } : undefined)).catch(() => undefined);
}

/** @param change returns undefined to change nothing @returns false if there is no such subscription, or nothing changes */
async function changeState(
  engine: Engine,
  id: SubscriptionId,
  change: (state: SubscriptionState) => SubscriptionState | undefined,
): Promise<boolean> {
  return await changeKafka(engine, ({ subscriptions, stateOf }) => {
    const state = subscriptions.some((one) => one.id === id) ? change(stateOf(id)) : undefined;
    return state && { kind: "state", id, state };
  });
}
