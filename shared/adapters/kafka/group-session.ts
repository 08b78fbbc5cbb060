/** One membership in a consumer group, from the connection to its end: assigned partitions, fetches and commits. */
import type { ClusterMetadata, ConnectionPool, Consumer, GroupAssignment } from "@platformatic/kafka";
import type { Clock } from "../../engine/ports/clock.ts";
import type {
  ConsumedSubscription,
  PartitionLag,
  RecordRoom,
  RecordSink,
  RecordBatch,
} from "../../engine/ports/topics.ts";
import { abortedIn } from "./aborted-transactions.ts";
import type { KafkaClient } from "./client.ts";
import type { ClientOptions, Beginning } from "./client-options.ts";
import { fetchedRecords } from "./fetched-records.ts";
import { OffsetCommits } from "./offset-commits.ts";
import { PartitionReader } from "./partition-reader.ts";
import type { ResetTarget } from "../../core/topics/position.ts";

type FetchResponse = Awaited<ReturnType<Consumer["fetch"]>>;

export interface SessionGround {
  readonly client: KafkaClient;
  readonly options: ClientOptions;
  readonly consumption: ConsumedSubscription;
  readonly topic: string;
  readonly sink: RecordSink;
  readonly clock: Clock;
  readonly room: RecordRoom;
}

/**
 * The longest wait of a fetch while records of some partitions of the broker are being accepted. A partition whose
 * reader is full is missing from this fetch, so the fetch ends soon, and the next fetch can include the partition.
 */
const BUSY_WAIT_MS = 50;
const CLOSE_MAX_MS = 3_000;
const OFFSET_OUT_OF_RANGE = 1;

export class GroupSession {
  readonly #ground: SessionGround;
  readonly #consumer: Consumer;
  readonly #pool: ConnectionPool;
  readonly #commits: OffsetCommits;
  readonly #readers = new Map<number, PartitionReader>();
  readonly #busyNodes = new Set<number>();
  readonly #ended: Promise<void>;
  #end!: () => void;
  #fail!: (error: unknown) => void;
  #isOver = false;
  #assigning: Promise<void> = Promise.resolve();

  constructor(ground: SessionGround) {
    this.#ground = ground;
    const { client, options, topic } = ground;
    this.#consumer = new client.Consumer(options.consumer);
    // Fetches have connections of their own, because a fetch waits at the broker and would delay heartbeats and commits
    // on the same connection.
    this.#pool = new client.ConnectionPool(options.consumer.clientId, options.consumer);
    this.#commits = new OffsetCommits(this.#consumer, topic);
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.#ended.catch(() => undefined);
  }

  /** Consumes until the signal aborts. @throws the error that ends the membership */
  async run(signal: AbortSignal): Promise<void> {
    const { topic } = this.#ground;
    const consumer = this.#consumer;
    const stop = (): void => this.#end();
    signal.addEventListener("abort", stop);
    consumer.on("error", (error: Error) => this.#fail(error));
    consumer.on("consumer:heartbeat:stalled", () => this.#fail(new Error("the group's coordinator does not answer")));
    consumer.on("consumer:group:join", ({ assignments }) => this.#assign(assignments ?? []));
    try {
      consumer.topics.track(topic);
      await consumer.metadata({ topics: [topic] });
      if (!signal.aborted) await consumer.joinGroup({});
      if (!signal.aborted) await this.#ended;
    } finally {
      signal.removeEventListener("abort", stop);
      await this.#close();
    }
  }

  lag(): readonly PartitionLag[] {
    return [...this.#readers.values()].map(({ partition, nextOffset, endOffset }) => ({
      partition,
      nextOffset,
      endOffset,
    }));
  }

  /** A partition that stays assigned to this member keeps its reader. */
  #assign(assignments: readonly GroupAssignment[]): void {
    const { topic } = this.#ground;
    const mine = new Set(assignments.filter((one) => one.topic === topic).flatMap(({ partitions }) => partitions));
    this.#assigning = this.#assigning
      .then(async () => {
        const gone = [...this.#readers.values()].filter(({ partition }) => !mine.has(partition));
        for (const { partition } of gone) this.#readers.delete(partition);
        await Promise.all(gone.map((reader) => reader.stop()));
        const metadata = await this.#metadata();
        for (const partition of mine) if (!this.#readers.has(partition)) await this.#begin(partition, metadata);
        this.#fetch();
      })
      .catch((error: unknown) => this.#fail(error));
  }

  async #begin(partition: number, metadata: ClusterMetadata): Promise<void> {
    const { consumption, topic, sink, options, clock, room } = this.#ground;
    const { id: topicId } = metadata.topics.get(topic)!;
    const { subscription, state } = consumption;
    const place = { subscription, partition, topicId, resetNumber: state.reset?.number ?? 0 };
    const ends = { consumer: this.#consumer, topic, begins: options.begins, commits: this.#commits, sink };
    const beginsAt = await beginOf(ends, place);
    if (this.#isOver || beginsAt === undefined) return;
    const reader = new PartitionReader(
      {
        sink,
        clock,
        onAccepted: (at, nextOffset) => this.#commits.add(at, nextOffset),
        onRoom: (sizeBytes) => {
          room.giveBack(sizeBytes);
          this.#fetch();
        },
        onPaused: () => this.#end(),
      },
      place,
      beginsAt,
    );
    this.#readers.set(partition, reader);
  }

  async #metadata(): Promise<ClusterMetadata> {
    return await this.#consumer.metadata({ topics: [this.#ground.topic] });
  }

  /** Begins a fetch at each broker that has none under way. */
  #fetch(): void {
    if (this.#isOver) return;
    this.#metadata()
      .then((metadata) => {
        const { partitions } = metadata.topics.get(this.#ground.topic)!;
        for (const node of new Set(partitions.map(({ leader }) => leader))) {
          if (this.#isOver || this.#busyNodes.has(node)) continue;
          const led = [...this.#readers.values()].filter(({ partition }) => partitions[partition]?.leader === node);
          const ready = led.filter(({ wantsMore }) => wantsMore);
          if (ready.length > 0)
            void this.#fetchFrom(
              node,
              ready,
              led.some(({ isBusy }) => isBusy),
            );
        }
      })
      .catch((error: unknown) => this.#fail(error));
  }

  async #fetchFrom(node: number, ready: readonly PartitionReader[], isBusy: boolean): Promise<void> {
    const { options, room } = this.#ground;
    const { waitMaxMs, maxBytes, partitionMaxBytes } = options.fetch;
    this.#busyNodes.add(node);
    try {
      if (!(await room.take(maxBytes))) return;
      let usedBytes = 0;
      try {
        if (this.#isOver) return;
        const response = await this.#consumer.fetch({
          node,
          maxWaitTime: isBusy ? Math.min(BUSY_WAIT_MS, waitMaxMs) : waitMaxMs,
          minBytes: 1,
          maxBytes,
          isolationLevel: options.readsUncommitted ? 0 : 1,
          connectionPool: this.#pool,
          topics: ready.map(({ place, fetchOffset }) => ({
            topicId: place.topicId!,
            partitions: [
              {
                partition: place.partition,
                currentLeaderEpoch: -1,
                fetchOffset: BigInt(fetchOffset),
                lastFetchedEpoch: -1,
                partitionMaxBytes,
              },
            ],
          })),
        });
        usedBytes = this.#take(response, ready);
      } finally {
        // A broker sends at least one batch, whatever its size, so the records may use more room than was taken.
        room.giveBack(maxBytes - usedBytes);
      }
    } catch (error) {
      if (!this.#movedIntoRange(error)) return this.#fail(error);
    } finally {
      this.#busyNodes.delete(node);
      this.#fetch();
    }
  }

  /**
   * The answer may come while the session closes: its readers have given back their room then, and take no more records.
   * @returns the bytes of the records that wait for their acceptance now
   */
  #take(response: FetchResponse, ready: readonly PartitionReader[]): number {
    let usedBytes = 0;
    if (this.#isOver) return usedBytes;
    for (const { topicId, partitions } of response.responses) {
      for (const answered of partitions) {
        const { partitionIndex, records, highWatermark } = answered;
        const reader = ready.find(({ place }) => place.partition === partitionIndex && place.topicId === topicId);
        if (reader === undefined || this.#readers.get(partitionIndex) !== reader) continue;
        reader.endOffset = Number(highWatermark);
        const fetched = fetchedRecords(records ?? [], reader.fetchOffset, abortedIn(answered));
        if (fetched.nextOffset === reader.fetchOffset) continue;
        usedBytes += fetched.sizeBytes;
        reader.push(fetched);
      }
    }
    return usedBytes;
  }

  /**
   * If the broker has deleted the records at the offset of a fetch, the subscription skips them and goes on at the
   * place that `auto.offset.reset` names.
   * @returns false if the error has another cause
   */
  #movedIntoRange(error: unknown): boolean {
    const { sink, consumption, options } = this.#ground;
    const response = (error as { readonly response?: FetchResponse }).response;
    const outside = (response?.responses ?? [])
      .flatMap(({ partitions }) => partitions)
      .filter(({ errorCode }) => errorCode === OFFSET_OUT_OF_RANGE);
    if (outside.length === 0 || options.begins === "fail") return false;
    for (const { partitionIndex, logStartOffset, highWatermark } of outside) {
      const reader = this.#readers.get(partitionIndex);
      const to = Number(options.begins === "earliest" ? logStartOffset : highWatermark);
      if (reader === undefined || to < 0) return false;
      const what = `the broker has no record at offset ${reader.fetchOffset}, so the subscription goes on at ${to}`;
      void sink.failed(consumption.subscription.id, what, partitionIndex);
      reader.fetchOffset = to;
    }
    return true;
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    await this.#assigning;
    await Promise.all([...this.#readers.values()].map((reader) => reader.stop()));
    const closed = this.#commits
      .flushed()
      .then(() => Promise.allSettled([this.#consumer.close(true), this.#pool.close()]));
    const late = new AbortController();
    await Promise.race([closed, this.#ground.clock.sleep(CLOSE_MAX_MS, late.signal)]);
    late.abort();
  }
}

const EARLIEST = -2n;
const LATEST = -1n;

/**
 * Finds the first offset to read in a partition: the target of a reset; without a reset, the larger one of the stored
 * position and the group's committed offset; without either, and in a topic that was created again, the beginning that the options
 * choose.
 */
interface Ends {
  readonly consumer: Pick<Consumer, "listOffsets" | "listCommittedOffsets">;
  readonly topic: string;
  readonly begins: Beginning;
  readonly commits: OffsetCommits;
  readonly sink: RecordSink;
}

/**
 * The target of a reset is committed for the group before the sink stores it as the position, so that the reset is
 * applied again if the process dies between the two writes. The offset at which a new group begins is committed, too:
 * otherwise records that arrive while the process is down could be skipped.
 * @returns undefined if the subscription has been removed or reset since its reader began, so that this reader reads nothing
 */
async function beginOf(ends: Ends, place: Omit<RecordBatch, "records">): Promise<number | undefined> {
  const { sink, commits, begins } = ends;
  const { partition } = place;
  const beginning = await sink.beginningOf(place);
  if (beginning === undefined) return undefined;
  const { nextOffset, resetTo, isNewTopic } = beginning;
  if (resetTo !== undefined) {
    const target = await targetOf(ends, partition, resetTo);
    await commits.now(partition, target);
    await sink.moved(place, target);
    return target;
  }
  const committed = isNewTopic ? undefined : await committedOf(ends, partition);
  const known = Math.max(nextOffset ?? -1, committed ?? -1);
  if (known >= 0) return known;
  if (begins === "fail")
    throw new Error(`the group has no offset for partition ${partition}, and auto.offset.reset is error`);
  const first = await offsetAt(ends, partition, begins === "earliest" ? EARLIEST : LATEST);
  await commits.now(partition, first);
  if (isNewTopic) await sink.moved(place, first);
  return first;
}

async function targetOf(ends: Ends, partition: number, to: ResetTarget): Promise<number> {
  if (to.kind === "earliest") return await offsetAt(ends, partition, EARLIEST);
  const latest = await offsetAt(ends, partition, LATEST);
  if (to.kind === "latest") return latest;
  if (to.kind === "time") {
    const found = await offsetAt(ends, partition, BigInt(to.atMs));
    return found < 0 ? latest : found;
  }
  const earliest = await offsetAt(ends, partition, EARLIEST);
  return Math.min(latest, Math.max(earliest, to.offsets[String(partition)] ?? earliest));
}

async function committedOf({ consumer, topic }: Ends, partition: number): Promise<number | undefined> {
  const committed = await consumer.listCommittedOffsets({ topics: [{ topic, partitions: [partition] }] });
  const offset = Number(committed.get(topic)?.[partition] ?? -1n);
  return offset < 0 ? undefined : offset;
}

/** @returns the offset; -1 if `timestamp` is a moment and no record is at or after this moment */
async function offsetAt(
  { consumer, topic }: Pick<Ends, "consumer" | "topic">,
  partition: number,
  timestamp: bigint,
): Promise<number> {
  const offsets = await consumer.listOffsets({ topics: [topic], partitions: { [topic]: [partition] }, timestamp });
  return Number(offsets.get(topic)?.[partition] ?? -1n);
}
