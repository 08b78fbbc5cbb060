/** Makes the sources of records follow the stored subscriptions: after each change, and periodically. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import { type Subscription, parseSource } from "../../core/registry/subscription.ts";
import type { Engine } from "../engine.ts";
import type { Beginning, ConsumedSubscription, RecordBatch, RecordSink, Topics } from "../ports/topics.ts";
import { type KafkaRead, readKafka, writeRoundEnd } from "../register/kafka-items.ts";
import { unsubscribe } from "../register/subscribe.ts";
import { deletePositions, readPosition, writePosition } from "./position-items.ts";
import { dueReset, isOfOtherTopic, isOutdated, positionNow } from "../../core/topics/position.ts";
import { acceptRecords } from "./accept-records.ts";
import { noteSubscriptionError } from "./subscription-orders.ts";

const FOLLOW_EVERY_MS = 1_000;
const LAGS_SHOWN_MAX = 100;

/** The longest time that a change of one subscription spends on following the others. A later round follows the rest. */
const CHANGE_MAX_MS = 5_000;

/**
 * First follows the subscriptions that a change has touched, then the others until the time is over. The answer to a change
 * comes after this, so that the answer shows the resulting state. Does nothing in a process without a source of records.
 */
export async function followChange(engine: Engine, isTouched: (one: Subscription) => boolean): Promise<void> {
  if (engine.topics === undefined) return;
  const all = consumptions(await readKafka(engine));
  const [touched, others] = [true, false].map((asked) =>
    all.filter(({ subscription }) => isTouched(subscription) === asked),
  );
  const untilMs = engine.clock.nowMs() + CHANGE_MAX_MS;
  await engine.topics.follow([...touched!, ...others!], recordSink(engine), untilMs);
}

/**
 * Follows all subscriptions, as far as the time allows. The next round, in any process, continues after the last followed
 * subscription.
 * @returns all consumptions that read records now, or will read them after a later round
 */
async function followRound(engine: Engine, topics: Topics, untilMs: number): Promise<readonly ConsumedSubscription[]> {
  const read = await readKafka(engine);
  const wanted = inOrderAfter(read.roundEndedAt, consumptions(read));
  const followed = await topics.follow(wanted, recordSink(engine), untilMs);
  const endedAt = followed < wanted.length ? wanted[followed - 1]?.subscription.id : undefined;
  if (endedAt !== read.roundEndedAt) await writeRoundEnd(engine, endedAt);
  return wanted;
}

function inOrderAfter(
  endedAt: SubscriptionId | undefined,
  all: readonly ConsumedSubscription[],
): readonly ConsumedSubscription[] {
  const sorted = all.toSorted((a, b) => (a.subscription.id < b.subscription.id ? -1 : 1));
  const isLater = ({ subscription }: ConsumedSubscription): boolean =>
    endedAt !== undefined && subscription.id > endedAt;
  return [...sorted.filter(isLater), ...sorted.filter((one) => !isLater(one))];
}

/** Follows periodically until the signal aborts, because another process may change a subscription. */
export async function runTopics(engine: Engine, signal: AbortSignal, everyMs = FOLLOW_EVERY_MS): Promise<void> {
  if (engine.topics === undefined) return;
  do {
    await followOnce(engine);
  } while (await engine.clock.sleep(everyMs, signal));
  await engine.topics.close();
}

/** Never fails: the next round tries again. @param untilMs the end of the time for this round */
export async function followOnce(engine: Engine, untilMs = Infinity): Promise<void> {
  if (engine.topics === undefined) return;
  try {
    const wanted = await followRound(engine, engine.topics, untilMs);
    await showLag(engine, engine.topics, wanted);
  } catch (error) {
    engine.log.write("subscriptions.follow-failed", { error: String(error) });
  }
}

/** The gauge has one label for each subscription that this process reads, up to a bound. */
async function showLag(engine: Engine, topics: Topics, all: readonly ConsumedSubscription[]): Promise<void> {
  const readings = await Promise.all(
    all.slice(0, LAGS_SHOWN_MAX).map(async (consumption) => {
      const lags = await topics.lag(consumption);
      const value = lags.reduce((sum, { nextOffset, endOffset }) => sum + Math.max(0, endOffset - nextOffset), 0);
      return { value, labels: { subscription: consumption.subscription.id } };
    }),
  );
  engine.meter.gauges("topic_lag_records", readings);
}

/**
 * Ends the consumption before it removes the positions. A repeated removal removes the positions that a failed one left behind.
 * @returns false if there is no such subscription
 */
export async function removeSubscription(engine: Engine, id: SubscriptionId): Promise<boolean> {
  const wasThere = await unsubscribe(engine, id);
  if (wasThere) await followChange(engine, () => false);
  await deletePositions(engine, id);
  if (!wasThere) return false;
  engine.log.write("subscription.removed", { subscriptionId: id });
  return true;
}

/** The subscriptions whose cluster is configured; the others read nothing. */
function consumptions({ clusters, subscriptions, stateOf }: KafkaRead): readonly ConsumedSubscription[] {
  return subscriptions.flatMap((subscription) => {
    const cluster = clusters.find(({ name }) => name === parseSource(subscription.source).cluster);
    return cluster === undefined ? [] : [{ subscription, cluster, state: stateOf(subscription.id) }];
  });
}

/** The engine's side of the port of topics: acceptances, positions and errors. */
export function recordSink(engine: Engine): RecordSink {
  return {
    accept: (batch) => acceptRecords(engine, batch),
    beginningOf: (of) => beginningOf(engine, of),
    moved: (of, nextOffset) => storeMove(engine, of, nextOffset),
    failed: (id, message, partition) => noteSubscriptionError(engine, id, message, partition),
  };
}

type Place = Omit<RecordBatch, "records">;

async function beginningOf(engine: Engine, place: Place): Promise<Beginning | undefined> {
  const { partition, topicId } = place;
  const { before, reset, isOver } = await standing(engine, place);
  if (isOver) return undefined;
  const due = dueReset(reset, partition, before?.position);
  if (due !== undefined) return { resetTo: due.to };
  if (isOfOtherTopic(before?.position, topicId)) return { isNewTopic: true };
  const { nextOffset, writtenAtMs } = positionNow(before?.position, { reset, partition, topicId });
  return writtenAtMs === 0 ? {} : { nextOffset };
}

/** Tries again if a batch that was read before the reset moves the position first. */
async function storeMove(engine: Engine, place: Place, nextOffset: number): Promise<void> {
  const { subscription, partition, topicId } = place;
  for (let isStored = false; !isStored;) {
    const { before, reset, isOver } = await standing(engine, place);
    const isNewTopic = isOfOtherTopic(before?.position, topicId);
    if (isOver || !(isNewTopic || dueReset(reset, partition, before?.position) !== undefined)) return;
    const position = positionNow(before?.position, { reset, partition, topicId });
    const moved = { ...position, nextOffset, writtenAtMs: engine.clock.nowMs() };
    isStored = (await writePosition(engine, { id: subscription.id, partition }, moved, before)) !== undefined;
  }
}

async function standing(engine: Engine, { subscription: { id }, partition, resetNumber }: Place) {
  const [before, { subscriptions, stateOf }] = await Promise.all([
    readPosition(engine, id, partition),
    readKafka(engine),
  ]);
  const { reset } = stateOf(id);
  const isRemoved = !subscriptions.some((one) => one.id === id);
  return { before, reset, isOver: isRemoved || isOutdated(resetNumber, reset, before?.position) };
}
