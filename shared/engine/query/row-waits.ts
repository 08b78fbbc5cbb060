/** Finds what the open invocations of one page of a list wait for. It does not follow a wait to another invocation. */
import type { InvocationId } from "../../core/model/ids.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { WaitView } from "../ports/submission.ts";
import { loadListed } from "./load-listed.ts";
import type { DetailedRow } from "./row-details.ts";
import { ownWaits } from "./wait-view.ts";

const LOADS_AT_ONCE = 8;
/** Each load costs a read unit or more, so rows after the first 200 have no waits. */
const LOADS_MAX = 200;

/** Costs a load for each open row; a pending row costs one more read. @returns the waits by id */
export async function waitsOfRows(
  engine: Engine,
  rows: readonly DetailedRow[],
): Promise<ReadonlyMap<InvocationId, readonly WaitView[]>> {
  const open = rows.filter(({ status }) => status !== "completed").slice(0, LOADS_MAX);
  // This read refreshes the registry in memory, which shows the open circuits that invocations wait for.
  if (open.length > 0) await engine.registry.deployments();
  const found = await atMost(LOADS_AT_ONCE, open, async ({ id }) => {
    const loaded = await loadListed(engine, id);
    return loaded === undefined ? undefined : ([id, await ownWaits(engine, loaded)] as const);
  });
  return new Map(found.filter((one) => one !== undefined));
}
