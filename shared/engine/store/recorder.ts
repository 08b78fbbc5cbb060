/** Finds the deployment that recorded an entry, even if restarts have copied the entry from one invocation to the next. */
import { segmentOfEntry } from "../../core/invocation/segment-moments.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import { load, type Loaded } from "./load.ts";
import type { StorePorts } from "./store-ports.ts";
import { usedInTurn } from "./read-partition.ts";

export interface Recorder {
  readonly deploymentId: DeploymentId;
  /** The moment at which the deployment recorded the entry. */
  readonly atMs: number;
}

/** An entry is rarely copied more than once; each copy costs a read of another journal. */
const COPIES_MAX = 10;

/**
 * @param loaded the invocation, loaded with moments
 * @param entry the index of the entry
 * @param sizeMaxBytes the limit for each former invocation; none by default
 * @returns undefined if there is no such entry, if no deployment recorded it, or if the recording invocation is gone
 * @throws TooLargeError
 */
export async function recorderOf(
  engine: StorePorts,
  loaded: Loaded,
  entry: number,
  sizeMaxBytes = Infinity,
): Promise<Recorder | undefined> {
  let holder = loaded;
  for (let copies = 0; copies <= COPIES_MAX; copies++) {
    const { moments = [], invocation } = holder;
    const { acceptance, journal } = invocation;
    if (entry >= journal.entries.length) return undefined;
    const segment = segmentOfEntry(moments, entry);
    if (segment?.deploymentId === undefined) return undefined;
    const { deploymentId, atMs, isCopied } = segment;
    if (isCopied !== true) return { deploymentId, atMs };
    if (acceptance.source.kind !== "restart") return undefined;
    const former = await loadWithMoments(engine, acceptance.source.formerId, sizeMaxBytes);
    // A restart that copies entries keeps the nonce, so an invocation with another nonce is a later life of the former id (I12).
    if (former?.invocation.acceptance.nonce !== acceptance.nonce) return undefined;
    holder = former;
  }
  return undefined;
}

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
