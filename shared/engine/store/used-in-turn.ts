/** Uses what a read returns. Reads of more than one page of the table take turns, so that few large results are in memory. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { FairTurns } from "../bulkheads/fair-turns.ts";
import { TooLargeError } from "./read-partition.ts";

/** About one page of a query of the table. */
export const PLAIN_MAX_BYTES = 1024 * 1024;

/**
 * If a read exceeds one page, it is repeated without the limit in a turn, and its result is used in the same turn.
 * @param read throws TooLargeError above its limit
 */
export async function usedInTurn<L, T>(
  turns: FairTurns,
  id: InvocationId,
  read: (sizeMaxBytes?: number) => Promise<L>,
  use: (loaded: L) => Promise<T>,
): Promise<T> {
  let small: L;
  try {
    small = await read(PLAIN_MAX_BYTES);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return await turns.take(id, async () => use(await read()));
  }
  return await use(small);
}
