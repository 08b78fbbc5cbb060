/** The port of topics: the source that reads the records of subscriptions, and the sink that accepts them. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import type { KafkaCluster, Subscription } from "../../core/registry/subscription.ts";
import type { ResetTarget } from "../../core/topics/position.ts";
import type { SubscriptionPause, SubscriptionState } from "../../core/topics/subscription-state.ts";
import type { TopicRecord } from "../../core/topics/topic-record.ts";

/** A subscription whose cluster is configured. A paused one keeps its consumer group, and reads nothing. */
export interface ConsumedSubscription {
  readonly subscription: Subscription;
  readonly cluster: KafkaCluster;
  readonly state: SubscriptionState;
}

/** Records of one partition in the order of their offsets. */
export interface RecordBatch {
  readonly subscription: Subscription;
  readonly partition: number;
  /** The id that the broker gave the topic, if the source of records knows it. */
  readonly topicId?: string;
  /**
   * The number of the last reset of the subscription when its reader began, 0 before the first reset: the records were read for
   * this reset and for no other.
   */
  readonly resetNumber: number;
  readonly records: readonly TopicRecord[];
}

/**
 * The outcome of a batch. Every record before `nextOffset` is durable or skipped, so the group may commit this offset.
 * `paused`: a bad record paused the subscription. `blocked`: no record can be accepted now, and a later try may succeed; the
 * source delivers the batch again after a while. `outdated`: the subscription has been removed or reset since the reader began;
 * nothing was accepted, and the reader ends.
 */
export type RecordsOutcome = {
  readonly nextOffset: number;
  /** New invocations. */
  readonly accepted: number;
  /** Records that had been accepted before, and runs of workflows that exist already. */
  readonly duplicates: number;
  readonly skipped: number;
} & (
  | { readonly kind: "accepted" }
  | { readonly kind: "paused"; readonly pause: SubscriptionPause }
  | { readonly kind: "blocked"; readonly reason: string }
  | { readonly kind: "outdated" }
);

/**
 * Where reading of a partition begins: its accepted position, and the target of a reset that the partition has not
 * applied yet.
 */
export interface Beginning {
  /** Undefined if the subscription has accepted nothing from the partition since the last reset. */
  readonly nextOffset?: number;
  readonly resetTo?: ResetTarget;
  /**
   * The stored position belongs to a deleted topic of the same name. So may the group's committed offset: a late batch of the deleted
   * topic commits for the group of that name.
   */
  readonly isNewTopic?: true;
}

/** The engine's side, which a source of records calls. */
export interface RecordSink {
  /** Resolves when the acceptances and the position are durable. @throws StoreError; the source delivers the batch again */
  accept(batch: RecordBatch): Promise<RecordsOutcome>;
  /** @returns undefined if the subscription has been removed or reset since the reader began */
  beginningOf(of: Omit<RecordBatch, "records">): Promise<Beginning | undefined>;
  /**
   * Stores the offset at which a partition begins after the reset of the reader, or in a topic that was created again; does nothing if
   * another reset has come since. The caller has already committed this offset for the group.
   */
  moved(of: Omit<RecordBatch, "records">, nextOffset: number): Promise<void>;
  /** Stores an error that keeps the subscription from consuming. Never fails. */
  failed(id: SubscriptionId, message: string, partition?: number): Promise<void>;
}

/** The memory for records of one subscription that wait for their acceptance. */
export interface RecordRoom {
  /** @returns false if there was no room in time */
  take(sizeBytes: number): Promise<boolean>;
  giveBack(sizeBytes: number): void;
  /** Gives everything back. Later calls take and give back nothing. */
  close(): void;
}

export interface PartitionLag {
  readonly partition: number;
  readonly nextOffset: number;
  /** The offset that the next produced record gets. */
  readonly endOffset: number;
}

export interface Topics {
  /**
   * Makes the running consumptions equal to `wanted`: starts new ones, restarts changed ones, pauses the paused ones and ends
   * all others. Repeating a call changes nothing. Errors of single consumptions go to `sink.failed`.
   * @param untilMs the moment from which a source with slow requests applies no more consumptions; it applies at least one
   * @returns the number of consumptions, counted from the first, that `follow` has applied
   */
  follow(wanted: readonly ConsumedSubscription[], sink: RecordSink, untilMs?: number): Promise<number>;
  /** The partitions that this process reads, or all partitions if the source knows them; empty if nothing is known. */
  lag(consumption: ConsumedSubscription): Promise<readonly PartitionLag[]>;
  /** Ends all consumption of this process; the groups and their offsets stay. */
  close(): Promise<void>;
}
