/** Positions of subscriptions in the table: one partition for each subscription, one item for each partition of the topic. */
import type { SubscriptionId } from "../../core/model/ids.ts";
import { landmarksFrom, landmarksText } from "../../core/topics/landmarks.ts";
import type { Position } from "../../core/topics/position.ts";
import type { Engine } from "../engine.ts";
import type { Item, Key } from "../ports/table.ts";
import { readKafka } from "../register/kafka-items.ts";
import { readPartition } from "../store/read-partition.ts";

export interface StoredPosition {
  readonly position: Position;
  /** Counts the writes, so that of two writers one is refused. */
  readonly version: number;
}

type Ground = Pick<Engine, "table" | "meta" | "settings">;

const POSITION_PREFIX = "at#";

export async function readPosition(
  ground: Ground,
  id: SubscriptionId,
  partition: number,
): Promise<StoredPosition | undefined> {
  const item = await ground.table.get(keyOf(ground, id, partition));
  return item && storedFrom(item);
}

/** The positions by partition of the topic. */
export async function readPositions(ground: Ground, id: SubscriptionId): Promise<ReadonlyMap<number, Position>> {
  const items = await readPartition(ground.table, topicPk(ground, id), {});
  return new Map(items.map((item) => [Number(item.sk.slice(POSITION_PREFIX.length)), storedFrom(item).position]));
}

/**
 * A batch may be under acceptance while its subscription is removed. So a new item is removed again if the subscription is gone:
 * the removal of a subscription comes before the removal of its positions, so one of the two finds the item. A put may be refused by
 * its own first sending, whose answer was lost, so a refused one is followed by the same look.
 * @param before the position as read
 * @returns undefined if another process has written the position since
 */
export async function writePosition(
  ground: Ground,
  { id, partition }: { readonly id: SubscriptionId; readonly partition: number },
  position: Position,
  before: StoredPosition | undefined,
): Promise<StoredPosition | undefined> {
  const version = (before?.version ?? 0) + 1;
  const { landmarks, ...plain } = position;
  const marked = landmarks === undefined ? {} : { landmarks: landmarksText(landmarks) };
  const item = { ...keyOf(ground, id, partition), ...plain, ...marked, version };
  const { written } = await ground.table.put(
    item,
    before === undefined ? { kind: "absent" } : { kind: "equal", attribute: "version", value: before.version },
  );
  if (before === undefined) await forgetIfRemoved(ground, { id, partition });
  return written ? { position, version } : undefined;
}

async function forgetIfRemoved(
  ground: Ground,
  { id, partition }: { readonly id: SubscriptionId; readonly partition: number },
): Promise<void> {
  const { subscriptions } = await readKafka(ground);
  if (!subscriptions.some((one) => one.id === id)) await ground.table.delete(keyOf(ground, id, partition));
}

/** Removes the positions of a subscription that no longer exists. */
export async function deletePositions(ground: Ground, id: SubscriptionId): Promise<void> {
  for (const { pk, sk } of await readPartition(ground.table, topicPk(ground, id), {}))
    await ground.table.delete({ pk, sk });
}

function storedFrom(item: Item): StoredPosition {
  const { resetNumber, nextOffset, begunTo, writtenAtMs, topicId, landmarks, skipped, version } = item;
  return {
    position: {
      resetNumber: Number(resetNumber),
      nextOffset: Number(nextOffset),
      writtenAtMs: Number(writtenAtMs),
      skipped: Number(skipped),
      ...(typeof begunTo === "number" && { begunTo }),
      ...(typeof topicId === "string" && { topicId }),
      ...(typeof landmarks === "string" && { landmarks: landmarksFrom(landmarks) }),
    },
    version: Number(version),
  };
}

function keyOf(ground: Ground, id: SubscriptionId, partition: number): Key {
  return { pk: topicPk(ground, id), sk: POSITION_PREFIX + String(partition).padStart(10, "0") };
}

function topicPk({ settings }: Ground, id: SubscriptionId): string {
  return `${settings.keyPrefix}topic#${id}`;
}
