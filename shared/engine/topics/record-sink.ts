/** The engine's side of the port of topics: acceptances, positions and errors. */
import { isOfOtherTopic, isOutdated, dueReset, positionNow } from "../../core/topics/position.ts";
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

async function beginningOf(engine: Engine, place: Place): Promise<Beginning | undefined> {
  const { partition, topicId } = place;
  const { before, reset, isOver } = await standing(engine, place);
  if (isOver) return undefined;
  const due = dueReset(reset, partition, before?.position);
  if (due !== undefined) return { resetTo: due.to };
  if (isOfOtherTopic(before?.position, topicId)) return { isNewTopic: true };
  const { nextOffset, writtenAtMs } = positionNow(before?.position, { reset, partition, topicId });
  return writtenAtMs === 0 ? {} : { nextOffset };
}

/** Tries again if a batch that was read before the reset moves the position first. */
async function storeMove(engine: Engine, place: Place, nextOffset: number): Promise<void> {
  const { subscription, partition, topicId } = place;
  for (let isStored = false; !isStored;) {
    const { before, reset, isOver } = await standing(engine, place);
    const isNewTopic = isOfOtherTopic(before?.position, topicId);
    if (isOver || !(isNewTopic || dueReset(reset, partition, before?.position) !== undefined)) return;
    const position = positionNow(before?.position, { reset, partition, topicId });
    const moved = { ...position, nextOffset, writtenAtMs: engine.clock.nowMs() };
    isStored = (await writePosition(engine, { id: subscription.id, partition }, moved, before)) !== undefined;
  }
}

async function standing(engine: Engine, { subscription: { id }, partition, resetNumber }: Place) {
  const [before, { subscriptions, stateOf }] = await Promise.all([
    readPosition(engine, id, partition),
    readKafka(engine),
  ]);
  const { reset } = stateOf(id);
  const isRemoved = !subscriptions.some((one) => one.id === id);
  return { before, reset, isOver: isRemoved || isOutdated(resetNumber, reset, before?.position) };
}
