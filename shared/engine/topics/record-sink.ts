/** The engine's side of the port of topics: acceptances, positions and errors. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import { isResetDue, positionNow } from "../../core/topics/position.ts";
import type { Engine } from "../engine.ts";
import type { Beginning, RecordBatch, RecordSink } from "../ports/topics.ts";
import { readKafka } from "../register/kafka-items.ts";
import { acceptRecords } from "./accept-records.ts";
import { readPosition, writePosition } from "./position-items.ts";
import { noteSubscriptionError } from "./subscription-orders.ts";

export function recordSink(engine: Engine): RecordSink {
  return {
    accept: (batch) => acceptRecords(engine, batch),
    beginningOf: (of) => beginningOf(engine, of),
    moved: (of, nextOffset) => storeMove(engine, of, nextOffset),
    failed: (id, message, partition) => noteSubscriptionError(engine, id, message, partition),
  };
}

type Place = Omit<RecordBatch, "records">;

async function beginningOf(engine: Engine, { subscription, partition, topicId }: Place): Promise<Beginning> {
  const { before, reset } = await standing(engine, subscription.id, partition);
  if (isResetDue(reset, partition, before?.position)) return { resetTo: reset.to };
  const { nextOffset, writtenAtMs } = positionNow(before?.position, { reset, partition, topicId });
  return writtenAtMs === 0 ? {} : { nextOffset };
}

async function storeMove(
  engine: Engine,
  { subscription, partition, topicId }: Place,
  nextOffset: number,
): Promise<void> {
  const { before, reset } = await standing(engine, subscription.id, partition);
  if (!isResetDue(reset, partition, before?.position)) return;
  const position = positionNow(before?.position, { reset, partition, topicId });
  const moved = { ...position, nextOffset, writtenAtMs: engine.clock.nowMs() };
  await writePosition(engine, { id: subscription.id, partition }, moved, before);
}

async function standing(engine: Engine, id: SubscriptionId, partition: number) {
  const [before, kafka] = await Promise.all([readPosition(engine, id, partition), readKafka(engine)]);
  return { before, reset: kafka.stateOf(id).reset };
}
