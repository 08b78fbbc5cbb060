/** Commits offsets for a group, one request at a time; a later offset of a partition replaces an earlier one that waits. */
import type { Consumer } from "@platformatic/kafka";

type Commits = Pick<Consumer, "commit">;

export class OffsetCommits {
  readonly #consumer: Commits;
  readonly #topic: string;
  readonly #waiting = new Map<number, number>();
  #running: Promise<void> | undefined;

  constructor(consumer: Commits, topic: string) {
    this.#consumer = consumer;
    this.#topic = topic;
  }

  /**
   * Never fails, because a lost commit does no harm: `beginOf` also reads the position that the engine stores, and the next
   * commit makes up for the lost one.
   */
  add(partition: number, nextOffset: number): void {
    this.#waiting.set(partition, nextOffset);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits any more. */
  async flushed(): Promise<void> {
    await this.#running;
  }

  /** @throws the error of the client */
  async now(partition: number, nextOffset: number): Promise<void> {
    await this.#consumer.commit({ offsets: [this.#offset(partition, nextOffset)] });
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const offsets = [...this.#waiting].map(([partition, nextOffset]) => this.#offset(partition, nextOffset));
      this.#waiting.clear();
      await this.#consumer.commit({ offsets }).catch(() => undefined);
    }
    this.#running = undefined;
  }

  #offset(partition: number, nextOffset: number) {
    return { topic: this.#topic, partition, offset: BigInt(nextOffset), leaderEpoch: -1 };
  }
}
