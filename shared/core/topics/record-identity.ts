/** The identity of a record: the parts from which the id of its invocation is derived (I7). */
import type { RecordOrigin, TopicRecord } from "./topic-record.ts";

/**
 * The id of the subscription also identifies the cluster. After a reset to earlier records, the subscription invokes its handler
 * for these records again, so the number of the reset is part of the identity. The timestamp distinguishes the records of a
 * topic that was deleted and created again, whose offsets begin again at 0.
 */
export function recordIdentity(
  { subscriptionId, topic, partition }: RecordOrigin,
  { offset, timestampMs }: Pick<TopicRecord, "offset" | "timestampMs">,
  resetNumber: number,
): readonly string[] {
  const at = timestampMs === undefined ? "" : String(timestampMs);
  return ["rec", subscriptionId, String(resetNumber), topic, String(partition), String(offset), at];
}
