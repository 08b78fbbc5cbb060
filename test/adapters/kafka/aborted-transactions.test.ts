/** Records of aborted transactions are left out, whatever the client's own filter would keep or drop. */
import type { RecordsBatch } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { abortedIn, tellAborted } from "../../../shared/adapters/kafka/aborted-transactions.ts";
import { fetchedRecords } from "../../../shared/adapters/kafka/fetched-records.ts";
import { filterAsTheClient } from "../../simulation/topics/library-filter.ts";

const FETCH = 1;
const METADATA = 3;
const TRANSACTIONAL = 16;
const CONTROL = 32;

interface Aborted {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

const batch = (firstOffset: number, count: number, producerId: bigint, attributes = TRANSACTIONAL) =>
  ({
    firstOffset: BigInt(firstOffset),
    lastOffsetDelta: count - 1,
    attributes,
    producerId,
    firstTimestamp: 0n,
    maxTimestamp: 0n,
    records: Array.from({ length: count }, (_, at) => ({
      length: 10,
      offsetDelta: at,
      timestampDelta: 0n,
      headers: [],
      key: null,
      value: Buffer.from(`r${firstOffset + at}`),
    })),
  }) as unknown as RecordsBatch;

function marker(offset: number, producerId: bigint, what: "abort" | "commit"): RecordsBatch {
  const key = Buffer.from([0, 0, 0, what === "abort" ? 0 : 1]);
  const record = { length: 4, offsetDelta: 0, timestampDelta: 0n, headers: [], key, value: null };
  return { ...batch(offset, 1, producerId, TRANSACTIONAL | CONTROL), records: [record] } as unknown as RecordsBatch;
}

/** Sends a request over a connection whose answer has this partition, and lets the client filter the answer. */
function answered(apiKey: number, records: readonly RecordsBatch[], aborted: readonly Aborted[]) {
  class Connection {
    send(_key: number, _version: number, _payload: unknown, parse: (raw: unknown) => unknown): void {
      this.response = parse({
        responses: [{ partitions: [{ records: [...records], abortedTransactions: [...aborted] }] }],
      }) as typeof this.response;
    }
    response!: { responses: [{ partitions: [{ records: RecordsBatch[]; abortedTransactions: Aborted[] | null }] }] };
  }
  tellAborted({ Connection } as never);
  const connection = new Connection();
  connection.send(apiKey, 17, undefined, (raw) => raw);
  filterAsTheClient(connection.response);
  return connection.response.responses[0].partitions[0];
}

function offsets(records: readonly RecordsBatch[], aborted: readonly Aborted[], from = 0): number[] {
  const partition = answered(FETCH, records, aborted);
  return fetchedRecords(partition.records, from, abortedIn(partition)).records.map(({ offset }) => offset);
}

test("an aborted transaction whose marker comes with a later fetch gives no records", () => {
  expect(offsets([batch(0, 3, 7n)], [{ producerId: 7n, firstOffset: 0n }])).toEqual([]);
});

test("a fetch that begins inside of an aborted transaction gives only what follows its marker", () => {
  const records = [batch(2, 2, 7n), marker(4, 7n, "abort"), batch(5, 1, 7n), marker(6, 7n, "commit")];
  expect(offsets(records, [{ producerId: 7n, firstOffset: 0n }], 2)).toEqual([5]);
});

test("two aborted transactions of one producer in one fetch give no records", () => {
  const records = [
    batch(0, 2, 7n),
    marker(2, 7n, "abort"),
    batch(3, 2, 7n),
    marker(5, 7n, "abort"),
    batch(6, 1, 7n),
    marker(7, 7n, "commit"),
  ];
  const aborted = [
    { producerId: 7n, firstOffset: 0n },
    { producerId: 7n, firstOffset: 3n },
  ];
  expect(offsets(records, aborted)).toEqual([6]);
});

test("a committed transaction before the marker of an aborted one without records keeps its records", () => {
  const records = [
    batch(0, 2, 7n),
    marker(2, 7n, "abort"),
    batch(3, 2, 7n),
    marker(5, 7n, "commit"),
    marker(6, 7n, "abort"),
  ];
  expect(offsets(records, [{ producerId: 7n, firstOffset: 0n }])).toEqual([3, 4]);
});

test("other producers, and records outside of transactions, are kept beside an aborted transaction", () => {
  const records = [
    batch(0, 1, 7n),
    batch(1, 1, 8n),
    batch(2, 1, -1n, 0),
    batch(3, 1, 7n),
    marker(4, 7n, "abort"),
    marker(5, 8n, "commit"),
  ];
  expect(offsets(records, [{ producerId: 7n, firstOffset: 0n }])).toEqual([1, 2]);
});

test("answers to other requests stay as they are", () => {
  const aborted = [{ producerId: 7n, firstOffset: 0n }];
  expect(answered(METADATA, [], aborted).abortedTransactions).toEqual(aborted);
});
