/** The Kafka client over the broker in memory: the parts of it that the product calls, with calls that take time and fail. */
import type { Random } from "../random.ts";
import type { Mortal } from "../seeds/mortal.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Batch, Broker, Member, PartitionLog } from "./broker.ts";
import { filterAsTheClient } from "./library-filter.ts";

/** What the clients of one process share. */
export interface Site {
  readonly broker: Broker;
  readonly mortal: Mortal;
  readonly clock: VirtualClock;
  readonly random: Random;
  /** The most batches of a partition in one answer. */
  readonly batchesMax: number;
  /** Whether the answers to a consumer of committed records list the aborted transactions. */
  readonly listsAborted: boolean;
  /** Notes the offset that the broker answered to the question for the end of a partition. */
  readonly onLatest: (group: string, partition: number, offset: number) => void;
}

const NODE = 1;
const FETCH = 1;
const NEWS_MAX_MS = 3_000;
const TRANSACTIONAL = 16;
const CONTROL = 32;

type Answered = (error: Error | null, response?: unknown) => void;
type Parse = (correlationId: number, apiKey: number, apiVersion: number, raw: unknown) => unknown;

interface FetchAsked {
  readonly maxWaitTime: number;
  readonly isolationLevel: number;
  readonly connectionPool: {
    get(broker: unknown, answered: (error: Error | null, connection?: Connection) => void): void;
  };
  readonly topics: readonly {
    readonly topicId: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: bigint }[];
  }[];
}

interface Connection {
  send(
    apiKey: number,
    apiVersion: number,
    createPayload: () => FetchAsked,
    parse: Parse,
    hasRequestTags: boolean,
    hasResponseTags: boolean,
    answered: Answered,
  ): void;
}

const failure = (): Error => new Error("the broker does not answer");

export function simulatedClient(site: Site) {
  const { broker, mortal, clock, random } = site;
  const call = async <T>(what: string, effect: () => Promise<T> | T, kind: "read" | "message" = "read"): Promise<T> =>
    await mortal.call({ what: `kafka ${what}`, kind, effect: async () => await effect(), failure });

  class SimulatedConnection implements Connection {
    readonly #pool: ConnectionPool;

    constructor(pool: ConnectionPool) {
      this.#pool = pool;
    }

    send(...[apiKey, apiVersion, createPayload, parse, , , answered]: Parameters<Connection["send"]>): void {
      const asked = createPayload();
      const answer = async (): Promise<unknown> => {
        await newsOf(site, asked, this.#pool.closed);
        return answerTo(site, asked);
      };
      const sent = call("fetch", answer).then((raw) => {
        if (this.#pool.closed.aborted) throw new Error("the connection is closed");
        return parse(1, apiKey, apiVersion, raw);
      });
      sent.then(
        (response) => answered(null, response),
        (error: Error) => answered(error),
      );
    }
  }

  class ConnectionPool {
    readonly #closing = new AbortController();

    get closed(): AbortSignal {
      return this.#closing.signal;
    }

    get(_broker: unknown, answered: (error: Error | null, connection?: Connection) => void): void {
      answered(null, new SimulatedConnection(this));
    }

    async close(): Promise<void> {
      this.#closing.abort();
    }
  }

  class Consumer {
    readonly #group: string;
    readonly #listeners = new Map<string, (event?: unknown) => void>();
    readonly #member: Member;
    #isClosed = false;
    /** The coordinator's news arrive late, and in their order. */
    #news: Promise<void> = Promise.resolve();
    readonly topics = { track(): void {} };

    constructor({ groupId, groupInstanceId }: { readonly groupId: string; readonly groupInstanceId?: string }) {
      this.#group = groupId;
      const later = (event: string, value: unknown): void => {
        this.#news = this.#news.then(async () => {
          await mortal.clock().sleep(random.between(1, NEWS_MAX_MS));
          if (!this.#isClosed) this.#listeners.get(event)?.(value);
        });
      };
      this.#member = {
        name: groupInstanceId ?? `${mortal.name} ${random.unit()}`,
        onAssigned: (partitions) =>
          later("consumer:group:join", { assignments: [{ topic: broker.topic.name, partitions }] }),
        onFenced: () => later("error", new Error("another member has the instance id of this one")),
      };
    }

    on(name: string, listener: (event?: unknown) => void): void {
      this.#listeners.set(name, listener);
    }

    async metadata() {
      if (mortal.isDead) await mortal.clock().sleep(1);
      const { id, name, partitions } = broker.topic;
      const known = { id, partitions: partitions.map(() => ({ leader: NODE })) };
      return { topics: new Map([[name, known]]), brokers: new Map([[NODE, {}]]) };
    }

    async joinGroup(): Promise<void> {
      await call("join", () => broker.join(this.#group, this.#member));
    }

    async listCommittedOffsets() {
      const found = await call("committed", () => [...broker.group(this.#group).committed]);
      const offsets: bigint[] = Array.from({ length: broker.partitions }, () => -1n);
      for (const [partition, offset] of found) offsets[partition] = BigInt(offset);
      return new Map([[broker.topic.name, offsets]]);
    }

    async listOffsets({ partitions, timestamp }: { partitions: Record<string, number[]>; timestamp: bigint }) {
      const [partition] = Object.values(partitions)[0]!;
      const offset = await call("offsets", () => {
        if (timestamp === -2n) return 0;
        const { stableOffset } = broker.topic.partitions[partition!]!;
        site.onLatest(this.#group, partition!, stableOffset);
        return stableOffset;
      });
      const offsets: bigint[] = [];
      offsets[partition!] = BigInt(offset);
      return new Map([[broker.topic.name, offsets]]);
    }

    async commit({
      offsets,
    }: {
      readonly offsets: readonly { readonly partition: number; readonly offset: bigint }[];
    }) {
      const { id } = broker.topic;
      const commit = (): void => {
        if (!broker.isMember(this.#group, this.#member)) throw new Error("the member does not belong to the group");
        if (broker.topic.id !== id) return;
        for (const { partition, offset } of offsets) {
          broker.group(this.#group).committed.set(partition, Number(offset));
        }
      };
      await call(
        `commit ${offsets.map(({ partition, offset }) => `${partition}=${offset}`).join(" ")}`,
        commit,
        "message",
      );
    }

    async fetch(asked: FetchAsked): Promise<unknown> {
      const response = await new Promise((resolve, reject) => {
        asked.connectionPool.get({}, (_, connection) => {
          const parse: Parse = (_correlation, _key, _version, raw) => raw;
          const answered: Answered = (error, found) => (error === null ? resolve(found) : reject(error));
          connection!.send(FETCH, 17, () => asked, parse, true, true, answered);
        });
      });
      if (asked.isolationLevel === 1) filterAsTheClient(response);
      return response;
    }

    async close(): Promise<void> {
      await call("leave", () => broker.leave(this.#group, this.#member));
      this.#isClosed = true;
    }
  }

  async function newsOf({ broker: at }: Site, asked: FetchAsked, closed: AbortSignal): Promise<void> {
    if (hasRecords(at, asked)) return;
    const roused = new AbortController();
    const rouse = (): void => roused.abort();
    closed.addEventListener("abort", rouse, { once: true });
    const forget = at.onNews(rouse);
    await clock.sleep(asked.maxWaitTime, roused.signal);
    forget();
    closed.removeEventListener("abort", rouse);
  }

  return { Consumer, ConnectionPool, Connection: SimulatedConnection };
}

function hasRecords({ topic }: Broker, { topics, isolationLevel }: FetchAsked): boolean {
  return topics.some(
    ({ topicId, partitions }) =>
      topicId !== topic.id ||
      partitions.some(
        ({ partition, fetchOffset }) =>
          topic.partitions[partition]!.read(Number(fetchOffset), 1, isolationLevel === 1).batches.length > 0,
      ),
  );
}

function answerTo(
  { broker: { topic }, batchesMax, listsAborted, random }: Site,
  { topics, isolationLevel }: FetchAsked,
): unknown {
  const responses = topics.map(({ topicId, partitions }) => {
    if (topicId !== topic.id) throw new Error("the broker knows no topic with this id");
    return {
      topicId,
      partitions: partitions.map(({ partition, fetchOffset }) =>
        partitionOf(topic.partitions[partition]!, partition, Number(fetchOffset), {
          count: random.between(1, batchesMax),
          committedOnly: isolationLevel === 1,
          listsAborted,
        }),
      ),
    };
  });
  return { responses };
}

function partitionOf(
  log: PartitionLog,
  partition: number,
  from: number,
  how: { readonly count: number; readonly committedOnly: boolean; readonly listsAborted: boolean },
) {
  const { batches, aborted } = log.read(from, how.count, how.committedOnly);
  return {
    partitionIndex: partition,
    errorCode: 0,
    highWatermark: BigInt(log.endOffset),
    logStartOffset: 0n,
    abortedTransactions: (how.listsAborted ? aborted : []).map(({ producerId, firstOffset }) => ({
      producerId: BigInt(producerId),
      firstOffset: BigInt(firstOffset),
    })),
    records: batches.map(batchOf),
  };
}

function batchOf({ firstOffset, lastOffset, records, producerId, marker }: Batch) {
  const isTransactional = producerId >= 0 ? TRANSACTIONAL : 0;
  return {
    firstOffset: BigInt(firstOffset),
    lastOffsetDelta: lastOffset - firstOffset,
    attributes: isTransactional | (marker === undefined ? 0 : CONTROL),
    producerId: BigInt(producerId),
    firstTimestamp: 0n,
    maxTimestamp: 0n,
    records:
      marker === undefined
        ? records.map(({ name, key, offset, timestampMs, sizeBytes }) => ({
            length: sizeBytes,
            offsetDelta: offset - firstOffset,
            timestampDelta: BigInt(timestampMs),
            headers: [],
            key: Buffer.from(key),
            value: Buffer.from(name),
          }))
        : [{ length: 10, offsetDelta: 0, timestampDelta: 0n, headers: [], key: markerKey(marker), value: null }],
  };
}

function markerKey(marker: "abort" | "commit"): Buffer {
  return Buffer.from([0, 0, 0, marker === "abort" ? 0 : 1]);
}
