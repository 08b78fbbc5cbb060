/** A membership in a group gives back the room for its records, whenever it ends. */
import { expect, test } from "vitest";
import { GroupSession } from "../../../shared/adapters/kafka/group-session.ts";
import { Gate } from "../../harness/engine/gate.ts";

const TOPIC = "orders";
const MAX_BYTES = 8_000;
const batch = {
  firstOffset: 0n,
  lastOffsetDelta: 0,
  attributes: 0,
  firstTimestamp: 0n,
  maxTimestamp: 0n,
  records: [{ length: 1_000, offsetDelta: 0, timestampDelta: 0n, headers: [], key: null, value: Buffer.from("a") }],
};
const answer = {
  responses: [{ topicId: "tid", partitions: [{ partitionIndex: 0, records: [batch], highWatermark: 1n }] }],
};

/** Lets everything run that is ready. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A session over a client whose fetch and close wait for gates, and the bytes that the session holds. */
function opened(room: { readonly waits?: Gate } = {}) {
  const [fetched, closed] = [new Gate(), new Gate()];
  const held = { bytes: 0, fetches: 0 };
  class Consumer {
    readonly #on = new Map<string, (event: unknown) => void>();
    readonly topics = { track(): void {} };
    on(name: string, listener: (event: unknown) => void): void {
      this.#on.set(name, listener);
    }
    async metadata() {
      return { topics: new Map([[TOPIC, { id: "tid", partitions: [{ leader: 1 }] }]]) };
    }
    async joinGroup(): Promise<void> {
      this.#on.get("consumer:group:join")!({ assignments: [{ topic: TOPIC, partitions: [0] }] });
    }
    async listCommittedOffsets() {
      return new Map([[TOPIC, [0n]]]);
    }
    async commit(): Promise<void> {}
    async fetch() {
      held.fetches++;
      await fetched.passed;
      return answer;
    }
    async close(): Promise<void> {
      await closed.passed;
    }
  }
  class ConnectionPool {
    async close(): Promise<void> {}
  }
  const session = new GroupSession({
    client: { Consumer, ConnectionPool } as never,
    options: {
      consumer: { clientId: "c" },
      begins: "earliest",
      fetch: { waitMaxMs: 1, maxBytes: MAX_BYTES, partitionMaxBytes: 1_000 },
      readsUncommitted: false,
      ignored: [],
    } as never,
    consumption: { subscription: { id: "sub_1" }, cluster: {}, state: {} } as never,
    topic: TOPIC,
    sink: {
      beginningOf: async () => ({ nextOffset: 0 }),
      accept: async () => ({ kind: "accepted", nextOffset: 1 }),
      moved: async () => undefined,
      failed: async () => undefined,
    } as never,
    clock: { nowMs: () => 0, sleep: () => new Promise<boolean>(() => undefined) },
    room: {
      take: async (bytes) => {
        await room.waits?.passed;
        held.bytes += bytes;
        return true;
      },
      giveBack: (bytes) => void (held.bytes -= bytes),
      close: () => undefined,
    },
  });
  return { session, fetched, closed, held };
}

test("a fetch that is answered while its session closes holds no room afterwards", async () => {
  const { session, fetched, closed, held } = opened();
  const stopping = new AbortController();
  const running = session.run(stopping.signal);
  await settle();
  expect(held.bytes).toBe(MAX_BYTES);
  stopping.abort();
  await settle();
  fetched.open();
  await settle();
  closed.open();
  await running;
  await settle();
  expect(held.bytes).toBe(0);
});

test("room that comes while the session closes is given back without a fetch", async () => {
  const waits = new Gate();
  const { session, closed, held } = opened({ waits });
  const stopping = new AbortController();
  const running = session.run(stopping.signal);
  await settle();
  stopping.abort();
  await settle();
  waits.open();
  await settle();
  closed.open();
  await running;
  expect(held).toEqual({ bytes: 0, fetches: 0 });
});
