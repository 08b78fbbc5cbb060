/** The port of topics over Kafka, for a process that consumes by itself, with one group membership for each subscription. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Log } from "../../engine/ports/log.ts";
import type { ConsumedSubscription, PartitionLag, RecordRoom, RecordSink, Topics } from "../../engine/ports/topics.ts";
import { clientOptions, type AddressRefusal } from "./client-options.ts";
import { consumerProperties, parseSource } from "../../core/registry/subscription.ts";
import { Backoff } from "./partition-reader.ts";
import { loadClient } from "./client.ts";
import { GroupSession, type SessionGround } from "./group-session.ts";

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
  async follow(wanted: readonly ConsumedSubscription[], sink: RecordSink): Promise<number> {
    const mine = this.#following.then(() => this.#follow(wanted, sink));
    this.#following = mine.catch(() => undefined);
    await mine;
    return wanted.length;
  }

  lag({ subscription }: ConsumedSubscription): Promise<readonly PartitionLag[]> {
    return Promise.resolve(this.#readers.get(subscription.id)?.lag() ?? []);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#following;
    await this.#stop([...this.#readers.keys()]);
  }

  async #follow(wanted: readonly ConsumedSubscription[], sink: RecordSink): Promise<void> {
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

  #begin(consumption: ConsumedSubscription, sink: RecordSink): SubscriptionReader {
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
function isSame(before: ConsumedSubscription, now: ConsumedSubscription | undefined): boolean {
  return now !== undefined && textOf(before) === textOf(now);
}

function textOf({ subscription, cluster, state }: ConsumedSubscription): string {
  return JSON.stringify([subscription, cluster.properties, state.reset?.number]);
}

/** Reads one subscription: when a membership in its group fails, the next one begins after a pause. */
interface SubscriptionGround extends Pick<SessionGround, "sink" | "clock" | "room"> {
  readonly refusalOf: AddressRefusal;
  /** The reader calls it at most once, with the names of the consumer's properties that have no effect. */
  readonly onIgnored: (names: readonly string[]) => void;
}

class SubscriptionReader {
  readonly consumption: ConsumedSubscription;
  readonly #ground: SubscriptionGround;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #session: GroupSession | undefined;

  constructor(ground: SubscriptionGround, consumption: ConsumedSubscription) {
    this.#ground = ground;
    this.consumption = consumption;
    this.#ended = this.#run();
  }

  /** Resolves when nothing is read or accepted any more, and no room is held. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    this.#ground.room.close();
  }

  lag(): readonly PartitionLag[] {
    return this.#session?.lag() ?? [];
  }

  async #run(): Promise<void> {
    const { sink, clock, onIgnored } = this.#ground;
    const { signal } = this.#stopping;
    const { id } = this.consumption.subscription;
    const backoff = new Backoff();
    for (let first = true; !signal.aborted; first = false) {
      const beganMs = clock.nowMs();
      try {
        const session = await this.#open(first ? onIgnored : undefined);
        this.#session = session;
        await session.run(signal);
      } catch (error) {
        if (!signal.aborted) await sink.failed(id, plainReason(error));
      } finally {
        this.#session = undefined;
      }
      if (clock.nowMs() - beganMs > HEALTHY_MS) backoff.reset();
      await clock.sleep(backoff.next(), signal);
    }
  }

  async #open(onIgnored: ((names: readonly string[]) => void) | undefined): Promise<GroupSession> {
    const { subscription, cluster } = this.consumption;
    const client = await loadClient(this.#ground.refusalOf);
    const properties = consumerProperties(subscription, cluster);
    // With a fixed instance id, a restarted process replaces its former member of the group at once, and does not wait
    // for that member's session to time out.
    const options = clientOptions({ "group.instance.id": subscription.id, ...properties });
    if (options.ignored.length > 0) onIgnored?.(options.ignored);
    const { topic } = parseSource(subscription.source);
    return new GroupSession({ ...this.#ground, client, options, consumption: this.consumption, topic });
  }
}

/** A failure after a session of this length resets the pauses, so that the next try comes soon. */
const HEALTHY_MS = 30_000;

/**
 * Gives the reason of a failure of the Kafka client in one line. The errors of the Kafka client often name the reason only in
 * the cause of their cause.
 */
const REASON_MAX_CHARACTERS = 500;

export function plainReason(error: unknown): string {
  const texts: string[] = [];
  collect(error, texts, 0);
  return [...new Set(texts)].join("; ").slice(0, REASON_MAX_CHARACTERS);
}

function collect(error: unknown, texts: string[], depth: number): void {
  if (!(error instanceof Error) || depth > 4) return;
  const nested = "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  if (nested.length === 0 && error.cause === undefined) texts.push(error.message);
  else if (depth === 0) texts.push(error.message.split("\n", 1)[0]!);
  for (const one of [...nested.slice(0, 3), error.cause]) collect(one, texts, depth + 1);
}
