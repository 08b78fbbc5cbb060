/** The port of topics over Kafka, for a process that consumes by itself, with one group membership for each subscription. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Log } from "../../engine/ports/log.ts";
import type { Consumption, PartitionLag, RecordRoom, RecordSink, Topics } from "../../engine/ports/topics.ts";
import type { AddressRefusal } from "./guarded-brokers.ts";
import { SubscriptionReader } from "./subscription-reader.ts";

export interface KafkaTopicsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Room for fetched records, by subscription. */
  readonly roomOf: (id: SubscriptionId) => RecordRoom;
  readonly refusalOf: AddressRefusal;
}

export class KafkaTopics implements Topics {
  readonly #options: KafkaTopicsOptions;
  readonly #readers = new Map<SubscriptionId, SubscriptionReader>();
  #following: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: KafkaTopicsOptions) {
    this.#options = options;
  }

  /** Calls run one after the other, so that an older call never undoes a newer one. */
  async follow(wanted: readonly Consumption[], sink: RecordSink): Promise<number> {
    const mine = this.#following.then(() => this.#follow(wanted, sink));
    this.#following = mine.catch(() => undefined);
    await mine;
    return wanted.length;
  }

  lag({ subscription }: Consumption): Promise<readonly PartitionLag[]> {
    return Promise.resolve(this.#readers.get(subscription.id)?.lag() ?? []);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#following;
    await this.#stop([...this.#readers.keys()]);
  }

  async #follow(wanted: readonly Consumption[], sink: RecordSink): Promise<void> {
    if (this.#isClosed) return;
    const reading = new Map(
      wanted.filter(({ state }) => state.pause === undefined).map((one) => [one.subscription.id, one]),
    );
    const over = [...this.#readers].filter(([id, reader]) => !isSame(reader.consumption, reading.get(id)));
    await this.#stop(over.map(([id]) => id));
    for (const [id, consumption] of reading) {
      if (!this.#readers.has(id)) this.#readers.set(id, this.#begin(consumption, sink));
    }
  }

  #begin(consumption: Consumption, sink: RecordSink): SubscriptionReader {
    const { clock, log, roomOf, refusalOf } = this.#options;
    const { id } = consumption.subscription;
    const onIgnored = (names: readonly string[]): void =>
      log.write("subscription.properties-ignored", { subscriptionId: id, properties: names.join(", ") });
    return new SubscriptionReader({ sink, clock, room: roomOf(id), refusalOf, onIgnored }, consumption);
  }

  async #stop(ids: readonly SubscriptionId[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        await this.#readers.get(id)?.stop();
        this.#readers.delete(id);
      }),
    );
  }
}

/** A change of the subscription, of the cluster's properties or of the reset replaces the reader. */
function isSame(before: Consumption, now: Consumption | undefined): boolean {
  return now !== undefined && textOf(before) === textOf(now);
}

function textOf({ subscription, cluster, state }: Consumption): string {
  return JSON.stringify([subscription, cluster.properties, state.reset?.number]);
}
