/** Deployments as operators see them, each with its status: it serves, drains, or may be removed. */
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import { type DeploymentHealth, deploymentHealth } from "../../core/registry/deployment-health.ts";
import {
  type DeploymentStatus,
  deploymentStatus,
  isActive,
  latestRevisions,
} from "../../core/registry/latest-revisions.ts";
import type { Engine } from "../engine.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { idOf, listedItems, openItems } from "../store/index-walk.ts";
import { momentRange } from "../store/item-keys.ts";
import { load } from "../store/load.ts";
import { isUntold } from "./needed-by.ts";
import type { Item } from "../ports/table.ts";

export interface DeploymentView {
  readonly deployment: Deployment;
  readonly status: DeploymentStatus;
  /** Absent for an active deployment, whose pins are not counted. */
  readonly pinned?: number;
  /** The open circuits of its services, by service. */
  readonly circuits: readonly OpenCircuit[];
  readonly health: DeploymentHealth;
}

const NOTHING_COUNTED: PinnedCounts = new Map();

/**
 * Reads the deployments from the table. Counts pins, at the cost of `pinnedCounts`, only if a wanted deployment is not
 * active.
 */
export async function viewDeployments(
  engine: Engine,
  wanted: (deployment: Deployment) => boolean = () => true,
): Promise<readonly DeploymentView[]> {
  engine.registry.refresh();
  const deployments = await engine.registry.deployments();
  const latest = latestRevisions(deployments);
  const shown = deployments.filter(wanted);
  const counts = shown.every((one) => isActive(one, latest)) ? NOTHING_COUNTED : await pinnedCounts(engine);
  const open = [...engine.registry.circuits().values()].toSorted((a, b) => (a.service < b.service ? -1 : 1));
  return shown.map((deployment) => {
    const pinned = counts.get(deployment.id) ?? 0;
    const status = deploymentStatus(deployment, latest, pinned);
    const circuits = open.filter(({ deploymentId }) => deploymentId === deployment.id);
    const health = deploymentHealth(circuits, engine.bulkheads.contacts.get(deployment.id));
    return { deployment, status, circuits, health, ...(status === "active" ? {} : { pinned }) };
  });
}

/** The listing and the open index may lag behind the table by a moment. */
const LAG_MS = 2_000;

export type PinnedCounts = ReadonlyMap<DeploymentId, number>;

/**
 * Counts the entries of the open index, which name the deployment, and the invocations that were accepted less than the
 * length of a lease ago (`leaseMs`) and may not be in the open index yet.
 *
 * Cost: a read of the whole open index, at half a read unit per fifteen entries or so. Each running or ready invocation whose entry names no deployment costs a query of its
 * partition, and so does each recently accepted invocation that is not in the open index. Older completed invocations cost
 * nothing. The count may miss invocations that are pinned meanwhile.
 */
export async function pinnedCounts(engine: Engine): Promise<PinnedCounts> {
  const counts = new Map<DeploymentId, number>();
  const count = (id: DeploymentId | undefined): void => {
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  };
  const seen = new Set<string>();
  for await (const item of openItems(engine)) {
    seen.add(item.pk);
    // An ended invocation may stay in the index until the sweeper has passed it.
    if (item["status"] === "completed") continue;
    const { deploymentId } = item;
    if (typeof deploymentId === "string") count(deploymentId as DeploymentId);
    else if (isUntold(item)) count(await pinOf(engine, item));
  }
  const nowMs = engine.clock.nowMs();
  const recent = momentRange(nowMs - engine.settings.leaseMs - LAG_MS, nowMs + LAG_MS);
  for await (const item of listedItems(engine, recent)) {
    if (!seen.has(item.pk)) count(await pinOf(engine, item));
  }
  return counts;
}

/** Reads the pin from the journal: a driver that has not parked the invocation has written the pin nowhere else. */
async function pinOf(engine: Engine, item: Item): Promise<DeploymentId | undefined> {
  const loaded = await load(engine, idOf(item));
  return loaded?.invocation.phase.status === "completed" ? undefined : loaded?.invocation.pin?.deploymentId;
}
