/** Loads of an invocation for the views, rows and orders of operators. */
import type { InvocationId } from "../../core/model/ids.ts";
import { load, type Loaded } from "./load.ts";
import type { StorePorts } from "./store-ports.ts";
import { usedInTurn } from "./read-partition.ts";

/** As `load`, with the moment of each segment, for the views of operators. @throws TooLargeError */
export function loadWithMoments(
  engine: StorePorts,
  id: InvocationId,
  sizeMaxBytes = Infinity,
): Promise<Loaded | undefined> {
  return load(engine, id, sizeMaxBytes, undefined, { moments: true });
}

/**
 * As `load`, for an operator's order or view, or for a row of an SQL query. If the invocation is large, the load leaves the large
 * results of its journal in the table.
 */
export function loadHeads(engine: StorePorts, id: InvocationId, moments = false): Promise<Loaded | undefined> {
  return load(engine, id, Infinity, undefined, { asHeads: true, moments });
}

/** Loads the invocation with moments and uses it. Very large invocations take turns, so that one at a time is in memory. */
export async function withMoments<T>(
  engine: StorePorts,
  id: InvocationId,
  use: (loaded: Loaded | undefined) => Promise<T>,
): Promise<T> {
  const read = (sizeMaxBytes?: number) => loadWithMoments(engine, id, sizeMaxBytes);
  return await usedInTurn(engine.bulkheads.heavyLoads, id, read, use);
}
