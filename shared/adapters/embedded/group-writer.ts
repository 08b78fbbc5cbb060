/** Writes a group to the database, as one synced batch. */
import type { ClassicLevel } from "classic-level";
import type { Operation } from "./commit-groups.ts";

const SYNCED = { sync: true };

/**
 * A batch that is built operation by operation costs a third of the CPU of a list. But its bytes stay in memory until the
 * next garbage collection, and the collector does not count them. So a larger group is written as a list.
 */
const PIECEWISE_MAX_BYTES = 64 * 1024;

/** Rejects if the database refused the group. */
export async function writeGroup(database: ClassicLevel<string, Uint8Array>, operations: Operation[]): Promise<void> {
  if (bytesOf(operations) > PIECEWISE_MAX_BYTES) return await database.batch(operations, SYNCED);
  const batch = database.batch();
  try {
    for (const operation of operations) {
      if (operation.type === "put") batch.put(operation.key, operation.value);
      else batch.del(operation.key);
    }
  } catch (error) {
    await batch.close();
    throw error;
  }
  await batch.write(SYNCED);
}

function bytesOf(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    bytes += operation.key.length;
    if (operation.type === "put") bytes += operation.value.length;
  }
  return bytes;
}
