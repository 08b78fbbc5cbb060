/** Makes the Kafka consumers of a local process, with a limit on their memory and on the brokers that they may reach. */
import { AddressGuard } from "../adapters/https/address-guard.ts";
import { KafkaTopics } from "../adapters/kafka/kafka-topics.ts";
import { Budget } from "../engine/bulkheads/budget.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Log } from "../engine/ports/log.ts";
import type { RecordRoom, Topics } from "../engine/ports/topics.ts";

const PATIENCE_MS = 10_000;

/** @param recordsMaxBytes the memory for records that wait for their acceptance */
export function kafkaTopics(
  clock: Clock,
  log: Log,
  recordsMaxBytes: number,
): { readonly topics: Topics; readonly records: Budget } {
  const records = new Budget({ capacity: recordsMaxBytes, patienceMs: PATIENCE_MS, clock });
  // Brokers run on this machine or in its network, as deployments do.
  const guard = new AddressGuard(["loopback", "private"]);
  const topics = new KafkaTopics({
    clock,
    log,
    roomOf: (id) => roomIn(records, id),
    refusalOf: (address) => guard.refusal(address),
  });
  return { topics, records };
}

/** A subscription is a lane, so that one with large records leaves room for others. */
function roomIn(budget: Budget, lane: string): RecordRoom {
  const account = budget.open(lane);
  return {
    take: async (sizeBytes) => await account.grow(sizeBytes),
    giveBack: (sizeBytes) => account.shrink(sizeBytes),
    close: () => account.close(),
  };
}
