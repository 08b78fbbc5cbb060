/** Reads one subscription: when a membership in its group fails, the next one begins after a pause. */
import { consumerProperties, parseSource } from "../../core/registry/subscription.ts";
import type { Consumption, PartitionLag } from "../../engine/ports/topics.ts";
import { Backoff } from "./backoff.ts";
import { loadClient } from "./client.ts";
import { clientOptions } from "./client-options.ts";
import { GroupSession, type SessionGround } from "./group-session.ts";
import type { AddressRefusal } from "./guarded-brokers.ts";
import { plainReason } from "./plain-reason.ts";

export interface SubscriptionGround extends Pick<SessionGround, "sink" | "clock" | "room"> {
  readonly refusalOf: AddressRefusal;
  /** The reader calls it at most once, with the names of the consumer's properties that have no effect. */
  readonly onIgnored: (names: readonly string[]) => void;
}

export class SubscriptionReader {
  readonly consumption: Consumption;
  readonly #ground: SubscriptionGround;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #session: GroupSession | undefined;

  constructor(ground: SubscriptionGround, consumption: Consumption) {
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
