/** Produces records and creates topics, with the client that Stepwell reads with. */
import "../../examples/polyfill.mjs";
import * as client from "@platformatic/kafka";

export interface Produced {
  readonly key?: string | Buffer;
  readonly value?: string | Buffer;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestProducer {
  createTopic(topic: string, partitions?: number): Promise<void>;
  deleteTopic(topic: string): Promise<void>;
  /** Keeps the order of the list within each partition. */
  send(topic: string, records: readonly Produced[], compression?: "gzip" | "snappy" | "lz4"): Promise<void>;
  /** The offset that a group has committed in each partition; -1 for none. */
  committed(group: string, topic: string, partitions: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

const AT_ONCE = 500;

export function openProducer(address: string): TestProducer {
  const options = { clientId: "tests", bootstrapBrokers: [address], retries: 5, retryDelay: 200 };
  const producer = new client.Producer({ ...options, idempotent: true });
  const admin = new client.Admin(options);
  return {
    async createTopic(topic, partitions = 3) {
      await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
    },
    async deleteTopic(topic) {
      await admin.deleteTopics({ topics: [topic] });
    },
    async send(topic, records, compression) {
      for (let from = 0; from < records.length; from += AT_ONCE) {
        const messages = records.slice(from, from + AT_ONCE).map(({ key, value, partition, headers }) => ({
          topic,
          ...(key !== undefined && { key: Buffer.from(key) }),
          ...(value !== undefined && { value: Buffer.from(value) }),
          ...(partition !== undefined && { partition }),
          ...(headers && {
            headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
          }),
        }));
        await producer.send({ messages, acks: -1, ...(compression && { compression }) });
      }
    },
    async committed(group, topic, partitions) {
      const consumer = new client.Consumer({ ...options, groupId: group });
      const wanted = Array.from({ length: partitions }, (_, at) => at);
      try {
        const offsets = await consumer.listCommittedOffsets({ topics: [{ topic, partitions: wanted }] });
        return wanted.map((at) => Number(offsets.get(topic)?.[at] ?? -1n));
      } catch (error) {
        // The group exists once its first member has joined.
        if (hasReason(error, "GROUP_ID_NOT_FOUND")) return wanted.map(() => -1);
        throw error;
      } finally {
        await consumer.close();
      }
    },
    async close() {
      await Promise.all([producer.close(), admin.close()]);
    },
  };
}

/** @param id a name of an error of the protocol, such as `GROUP_ID_NOT_FOUND` */
function hasReason(error: unknown, id: string): boolean {
  const { apiId, errors = [] } = error as { readonly apiId?: string; readonly errors?: readonly unknown[] };
  return apiId === id || errors.some((one) => hasReason(one, id));
}
