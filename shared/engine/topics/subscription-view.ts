/** A subscription as the APIs show it: status, positions, lag. */
import { parseSource, type Subscription } from "../../core/registry/subscription.ts";
import type { Position } from "../../core/topics/position.ts";
import {
  subscriptionStatus,
  type SubscriptionState,
  type SubscriptionStatus,
} from "../../core/topics/subscription-state.ts";
import type { Engine } from "../engine.ts";
import { type KafkaRead } from "../register/kafka-items.ts";
import { readPositions } from "./position-items.ts";

export interface PartitionView {
  readonly partition: number;
  readonly nextOffset: number;
  /** Absent if the process that answers does not read the partition, or if its source of records reports no lag. */
  readonly lag?: number;
  readonly skipped: number;
  /** Absent if no record of the partition was accepted yet. */
  readonly movedAtMs?: number;
}

export interface SubscriptionView {
  readonly subscription: Subscription;
  readonly state: SubscriptionState;
  /** `no-cluster`: the cluster of the source is not configured any more. */
  readonly status: SubscriptionStatus | "no-cluster";
  /** Ordered by number. */
  readonly partitions: readonly PartitionView[];
}

export async function subscriptionView(
  engine: Engine,
  { clusters, stateOf }: KafkaRead,
  subscription: Subscription,
): Promise<SubscriptionView> {
  const { id, source } = subscription;
  const state = stateOf(id);
  const cluster = clusters.find(({ name }) => name === parseSource(source).cluster);
  const positions = await readPositions(engine, id);
  const lags = cluster && engine.topics ? await engine.topics.lag({ subscription, cluster, state }) : [];
  const partitions = new Map([...positions].map(([partition, position]) => [partition, viewOf(partition, position)]));
  for (const { partition, nextOffset, endOffset } of lags) {
    const stored = partitions.get(partition);
    const lag = Math.max(0, endOffset - Math.max(nextOffset, stored?.nextOffset ?? 0));
    partitions.set(partition, { skipped: 0, partition, nextOffset, ...stored, lag });
  }
  const movedAtMs = Math.max(0, ...[...positions.values()].map(({ writtenAtMs }) => writtenAtMs));
  return {
    subscription,
    state,
    status: cluster === undefined ? "no-cluster" : subscriptionStatus(state, movedAtMs),
    partitions: [...partitions.values()].sort((a, b) => a.partition - b.partition),
  };
}

function viewOf(partition: number, { nextOffset, skipped, writtenAtMs }: Position): PartitionView {
  return { partition, nextOffset, skipped, movedAtMs: writtenAtMs };
}
