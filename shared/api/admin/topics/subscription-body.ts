/** The body of a subscription: its definition, without secrets, and what it does now. */
import { withoutSecrets } from "../../../core/model/secret-properties.ts";
import { consumerOptions, parseSource, type Subscription } from "../../../core/registry/subscription.ts";
import type { SubscriptionError, SubscriptionPause } from "../../../core/topics/subscription-state.ts";
import { AT_ONCE, atMost } from "../../../engine/bulkheads/at-most.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { KafkaRead } from "../../../engine/register/kafka-items.ts";
import { type PartitionView, subscriptionView } from "../../../engine/topics/subscription-view.ts";
import type { PartitionBody, SubscriptionBody, SubscriptionPauseBody } from "../../contract/topics.ts";
import { momentText } from "../requests/json-members.ts";

export async function subscriptionBodies(
  engine: Engine,
  read: KafkaRead,
  subscriptions: readonly Subscription[],
): Promise<readonly SubscriptionBody[]> {
  return await atMost(AT_ONCE, subscriptions, (one) => bodyOf(engine, read, one));
}

async function bodyOf(engine: Engine, read: KafkaRead, subscription: Subscription): Promise<SubscriptionBody> {
  const { id, source, sink } = subscription;
  const cluster = read.clusters.find(({ name }) => name === parseSource(source).cluster);
  const { status, partitions, state } = await subscriptionView(engine, read, subscription);
  const { pause, lastError } = state;
  return {
    id,
    source,
    sink,
    options: withoutSecrets(consumerOptions(subscription, cluster)),
    status,
    ...(pause && { pause: pauseBody(pause) }),
    ...(lastError && { last_error: errorBody(lastError) }),
    partitions: partitions.map(partitionBody),
  };
}

function pauseBody(pause: SubscriptionPause): SubscriptionPauseBody {
  const { reason, atMs } = pause;
  if (pause.reason === "order")
    return { reason, at: momentText(atMs), ...(pause.by !== undefined && { by: pause.by }) };
  const { partition, offset, badRecord, detail } = pause;
  return { reason, at: momentText(atMs), partition, offset, bad_record: badRecord, detail };
}

function errorBody({ atMs, message, partition }: SubscriptionError): NonNullable<SubscriptionBody["last_error"]> {
  return { at: momentText(atMs), message, ...(partition !== undefined && { partition }) };
}

function partitionBody({ partition, nextOffset, lag, skipped, movedAtMs }: PartitionView): PartitionBody {
  return {
    partition,
    next_offset: nextOffset,
    ...(lag !== undefined && { lag }),
    skipped,
    ...(movedAtMs !== undefined && { moved_at: momentText(movedAtMs) }),
  };
}
