/**
 * Loads the Kafka client at the first subscription. Guards its connections, bounds the batches that it decompresses, and keeps the
 * lists of aborted transactions from its filter.
 */
import type * as Client from "@platformatic/kafka";
import { tellAborted } from "./aborted-transactions.ts";
import { boundBatches } from "./bounded-batches.ts";
import { type AddressRefusal, assertAllowed } from "./guarded-brokers.ts";

export type KafkaClient = typeof Client;

let loading: Promise<KafkaClient> | undefined;

/** @param refusalOf the check of addresses; the whole process uses the check of the first caller */
export function loadClient(refusalOf: AddressRefusal): Promise<KafkaClient> {
  loading ??= load(refusalOf);
  return loading;
}

async function load(refusalOf: AddressRefusal): Promise<KafkaClient> {
  provideResolvers();
  const client = await import("@platformatic/kafka");
  guardConnections(client, refusalOf);
  tellAborted(client);
  boundBatches(client.compressionsAlgorithms as unknown as Parameters<typeof boundBatches>[0]);
  return client;
}

/**
 * Checks the address of each broker. The client has no hook for this check, so this function wraps `get`. Every
 * connection comes from `get`, also a connection to a broker that another broker has named.
 */
function guardConnections({ ConnectionPool }: KafkaClient, refusalOf: AddressRefusal): void {
  type Callback = (error: Error | null, connection?: Client.Connection) => void;
  type Get = (this: unknown, broker: Client.Broker, callback: Callback) => void;
  const pool = ConnectionPool.prototype as unknown as { get: Get };
  const { get } = pool;
  pool.get = function guardedGet(broker, callback) {
    assertAllowed(broker, refusalOf).then(() => get.call(this, broker, callback), callback);
  };
}

/** Defines `Promise.withResolvers`, which the client calls, and which Node lacks before version 22. */
function provideResolvers(): void {
  const promises = Promise as unknown as { withResolvers?: () => object };
  promises.withResolvers ??= function withResolvers() {
    let resolve: unknown;
    let reject: unknown;
    const promise = new Promise((onDone, onFailed) => {
      resolve = onDone;
      reject = onFailed;
    });
    return { promise, resolve, reject };
  };
}
