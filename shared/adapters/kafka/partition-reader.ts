/**
 * Accepts the fetched records of one partition, one chunk after the other, and repeats a chunk that cannot be accepted
 * yet.
 */
import type { RecordBatch, RecordSink } from "../../engine/ports/topics.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Fetched } from "./fetched-records.ts";

/** The position is written once per chunk. */
const CHUNK_RECORDS = 1_000;
/** The most batches in memory: one is accepted while the next one arrives. */
const WAITING_MAX = 2;

export interface ReaderGround {
  readonly sink: RecordSink;
  readonly clock: Clock;
  /** Called with the offset before which all records are durable, so that the group may commit this offset. */
  readonly onAccepted: (partition: number, nextOffset: number) => void;
  /** Called when records of this size have left the reader, so that other records can take their room. */
  readonly onRoom: (sizeBytes: number) => void;
  /** Called when an acceptance shows that the subscription is paused. */
  readonly onPaused: () => void;
}

export class PartitionReader {
  readonly place: Omit<RecordBatch, "records">;
  /** Where the next fetch begins. */
  fetchOffset: number;
  /** Every record before this offset is accepted or skipped. */
  nextOffset: number;
  /** The end of the partition, as the broker last reported it. */
  endOffset: number;
  readonly #ground: ReaderGround;
  readonly #waiting: Fetched[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(ground: ReaderGround, place: Omit<RecordBatch, "records">, beginsAt: number) {
    this.#ground = ground;
    this.place = place;
    this.fetchOffset = beginsAt;
    this.nextOffset = beginsAt;
    this.endOffset = beginsAt;
  }

  get partition(): number {
    return this.place.partition;
  }

  get wantsMore(): boolean {
    return !this.#stopping.signal.aborted && this.#waiting.length < WAITING_MAX;
  }

  /** True while records wait for their acceptance. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  push(fetched: Fetched): void {
    this.fetchOffset = fetched.nextOffset;
    this.#waiting.push(fetched);
    this.#running ??= this.#run();
  }

  /** Resolves when the running acceptance is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const { sizeBytes } of this.#waiting.splice(0)) this.#ground.onRoom(sizeBytes);
  }

  async #run(): Promise<void> {
    for (let fetched = this.#waiting[0]; fetched !== undefined && !this.#isStopped; fetched = this.#waiting[0]) {
      await this.#accept(fetched);
      if (this.#isStopped) break;
      this.#waiting.shift();
      this.#ground.onRoom(fetched.sizeBytes);
    }
    this.#running = undefined;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #accept({ records, nextOffset }: Fetched): Promise<void> {
    const backoff = new Backoff();
    for (let from = 0; from < records.length && !this.#isStopped;) {
      const chunk = records.slice(from, from + CHUNK_RECORDS);
      if (await this.#accepted(chunk)) {
        from += chunk.length;
        backoff.reset();
      } else {
        await this.#ground.clock.sleep(backoff.next(), this.#stopping.signal);
      }
    }
    if (!this.#isStopped) this.#moveTo(nextOffset);
  }

  /** @returns false if the chunk is to be delivered again */
  async #accepted(records: Fetched["records"]): Promise<boolean> {
    const { subscription, partition } = this.place;
    const { sink, onPaused } = this.#ground;
    try {
      const outcome = await sink.accept({ ...this.place, records });
      if (outcome.kind === "accepted") {
        this.#moveTo(outcome.nextOffset);
        return true;
      }
      if (outcome.kind === "blocked") {
        await sink.failed(subscription.id, outcome.reason, partition);
        return false;
      }
      if (outcome.kind === "outdated") {
        // The next round of `follow` replaces this reader, or ends it.
        this.#stopping.abort();
        return true;
      }
      this.#moveTo(outcome.nextOffset);
      this.#stopping.abort();
      onPaused();
      return true;
    } catch (error) {
      await sink.failed(subscription.id, String(error), partition);
      return false;
    }
  }

  #moveTo(nextOffset: number): void {
    if (nextOffset <= this.nextOffset) return;
    this.nextOffset = nextOffset;
    this.#ground.onAccepted(this.partition, nextOffset);
  }
}

/** Pauses after failed tries. Each pause is twice as long as the one before, up to a maximum. */
const FIRST_MS = 200;
const MAX_MS = 10_000;

export class Backoff {
  #nextMs = FIRST_MS;

  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(MAX_MS, pauseMs * 2);
    return pauseMs;
  }

  reset(): void {
    this.#nextMs = FIRST_MS;
  }
}
