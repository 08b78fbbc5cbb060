/** How many open invocations are fixed to each deployment: what keeps a deployment from being removed. */
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { idOf, listedItems, openItems } from "../store/index-walk.ts";
import { momentRange } from "../store/item-keys.ts";
import { load } from "../store/load.ts";
import { shownHolds } from "../query/shown-entries.ts";
import type { Item } from "../ports/table.ts";

/** The listing and the open index may lag behind the table by a moment. */
const LAG_MS = 2_000;
const TOGETHER = 1_000;

export type PinnedCounts = ReadonlyMap<DeploymentId, number>;

/**
 * Counts what stands in the open index, whose entries name the deployment, and what was accepted within the last lease
 * and may be driven without standing there yet.
 *
 * Cost: the open index is read whole, which is half a read unit for some fifteen open invocations; in an index that does not
 * show deployments, one more for each (ADR 0020). A query of its own partition goes to each invocation that runs and whose
 * entry names no deployment yet, and to each acceptance of the last lease that the open index does not show. Completed
 * invocations beyond those are not read, however many there are. What comes to be fixed to a deployment while this counts
 * may be missed.
 */
export async function pinnedCounts(engine: Engine): Promise<PinnedCounts> {
  const counts = new Map<DeploymentId, number>();
  const count = (id: DeploymentId | undefined): void => {
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  };
  const seen = new Set<string>();
  for await (const item of openHolds(engine)) {
    seen.add(item.pk);
    const { deploymentId, status } = item;
    if (typeof deploymentId === "string") count(deploymentId as DeploymentId);
    else if (status === "running") count(await pinOf(engine, item));
  }
  const nowMs = engine.clock.nowMs();
  const recent = momentRange(nowMs - engine.settings.leaseMs - LAG_MS, nowMs + LAG_MS);
  for await (const item of listedItems(engine, recent)) {
    if (!seen.has(item.pk)) count(await pinOf(engine, item));
  }
  return counts;
}

/** So many entries at a time, because of all that is open nobody knows how much it is. */
async function* openHolds(engine: Engine): AsyncGenerator<Item> {
  let entries: Item[] = [];
  for await (const item of openItems(engine)) {
    if (entries.push(item) < TOGETHER) continue;
    yield* await shownHolds(engine, entries);
    entries = [];
  }
  yield* await shownHolds(engine, entries);
}

/** As the journal has it: a driver that has not parked since has told it nowhere else. */
async function pinOf(engine: Engine, item: Item): Promise<DeploymentId | undefined> {
  const loaded = await load(engine, idOf(item));
  return loaded?.invocation.phase.status === "completed" ? undefined : loaded?.invocation.pin?.deploymentId;
}
