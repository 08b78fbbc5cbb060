/** Makes the sources of records follow the stored subscriptions: at each change, and again and again. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import { parseSource } from "../../core/registry/subscription.ts";
import type { Engine } from "../engine.ts";
import type { Consumption, Topics } from "../ports/topics.ts";
import { readKafka } from "../register/kafka-items.ts";
import { unsubscribe } from "../register/subscribe.ts";
import { deletePositions } from "./position-items.ts";
import { recordSink } from "./record-sink.ts";

const FOLLOW_EVERY_MS = 1_000;
const LAGS_SHOWN_MAX = 100;

/** Does nothing in a process without a source of records. The answer to a change waits for this, so that the answer is true. */
export async function followSubscriptions(engine: Engine): Promise<void> {
  if (engine.topics === undefined) return;
  await engine.topics.follow(await consumptions(engine), recordSink(engine));
}

/** Follows until the signal aborts, because another process may change a subscription. */
export async function runTopics(engine: Engine, signal: AbortSignal, everyMs = FOLLOW_EVERY_MS): Promise<void> {
  if (engine.topics === undefined) return;
  do {
    await followOnce(engine);
  } while (await engine.clock.sleep(everyMs, signal));
  await engine.topics.close();
}

/** Never fails: the next round tries again. */
export async function followOnce(engine: Engine): Promise<void> {
  if (engine.topics === undefined) return;
  try {
    await followSubscriptions(engine);
    await showLag(engine, engine.topics);
  } catch (error) {
    engine.log.write("subscriptions.follow-failed", { error: String(error) });
  }
}

/** The gauge has as many labels as this process reads subscriptions, and so a bound. */
async function showLag(engine: Engine, topics: Topics): Promise<void> {
  const wanted = (await consumptions(engine)).slice(0, LAGS_SHOWN_MAX);
  const readings = await Promise.all(
    wanted.map(async (consumption) => {
      const lags = await topics.lag(consumption);
      const value = lags.reduce((sum, { nextOffset, endOffset }) => sum + Math.max(0, endOffset - nextOffset), 0);
      return { value, labels: { subscription: consumption.subscription.id } };
    }),
  );
  engine.meter.gauges("topic_lag_records", readings);
}

/** Ends the consumption before it removes the positions. @returns false if there is no such subscription */
export async function removeSubscription(engine: Engine, id: SubscriptionId): Promise<boolean> {
  if (!(await unsubscribe(engine, id))) return false;
  await followSubscriptions(engine);
  await deletePositions(engine, id);
  engine.log.write("subscription.removed", { subscriptionId: id });
  return true;
}

/** The subscriptions whose cluster is configured; the others read nothing. */
async function consumptions(engine: Engine): Promise<readonly Consumption[]> {
  const { clusters, subscriptions, stateOf } = await readKafka(engine);
  return subscriptions.flatMap((subscription) => {
    const cluster = clusters.find(({ name }) => name === parseSource(subscription.source).cluster);
    return cluster === undefined ? [] : [{ subscription, cluster, state: stateOf(subscription.id) }];
  });
}
