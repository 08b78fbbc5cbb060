/** Accepts the records of an event of Kafka for the subscription whose event source mapping delivered it. */
import { subscriptionOfAlias } from "../adapters/event-sources/mapping-form.ts";
import { parseSubscriptionId } from "../core/model/ids.ts";
import type { Engine } from "../engine/engine.ts";
import type { RecordsOutcome } from "../engine/ports/topics.ts";
import { readKafka } from "../engine/register/kafka-items.ts";
import { acceptRecords } from "../engine/topics/accept-records.ts";
import { partitionsOf } from "./kafka-event.ts";
import type { KafkaEvent } from "./kafka-event.ts";

/** Lambda delivers the batch again and again until the function succeeds, and reads on only then. */
export class BatchNotAccepted extends Error {
  override name = "BatchNotAccepted";
}

/**
 * @param calledArn the ARN of the called function, with the alias at its end
 * @throws BatchNotAccepted, StoreError
 */
export async function deliverRecords(
  engine: Engine,
  event: KafkaEvent,
  calledArn: string,
): Promise<{ readonly accepted: number }> {
  const mapped = subscriptionOfAlias(calledArn.split(":").at(-1) ?? "");
  if (mapped === undefined) throw new BatchNotAccepted(`${calledArn} names no subscription`);
  return await accept(engine, event, mapped);
}

/** Accepts the records partition by partition, so that only the invocations of one partition are in memory. */
async function accept(
  engine: Engine,
  event: KafkaEvent,
  { id, resetNumber }: { readonly id: string; readonly resetNumber: number },
): Promise<{ readonly accepted: number }> {
  const subscriptionId = parseSubscriptionId(id);
  const { subscriptions } = await readKafka(engine);
  const subscription = subscriptions.find((one) => one.id === subscriptionId);
  if (subscription === undefined) {
    // The subscription has been removed, and its mapping will be deleted soon: no handler is to receive these records.
    engine.log.write("records.dropped", { subscriptionId });
    return { accepted: 0 };
  }
  let accepted = 0;
  for (const { partition, records } of partitionsOf(event)) {
    const outcome = await acceptRecords(engine, { subscription, partition, resetNumber, records });
    if (outcome.kind !== "accepted") throw new BatchNotAccepted(`${id} ${reasonOf(outcome)}`);
    accepted += outcome.accepted;
  }
  return { accepted };
}

function reasonOf(outcome: Exclude<RecordsOutcome, { readonly kind: "accepted" }>): string {
  switch (outcome.kind) {
    case "paused":
      return `is paused (${outcome.pause.reason})`;
    case "blocked":
      return outcome.reason;
    case "outdated":
      return "was reset, and another mapping reads its records from now on";
  }
}
