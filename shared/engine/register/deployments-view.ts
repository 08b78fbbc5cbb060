/** Deployments as operators see them, each with its status: it serves, drains, or may be removed. */
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import { type DeploymentHealth, deploymentHealth } from "../../core/registry/deployment-health.ts";
import { type DeploymentStatus, deploymentStatus, isActive } from "../../core/registry/latest-revisions.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";
import type { Engine } from "../engine.ts";
import { pinnedCounts } from "./pinned.ts";
import type { PinnedCounts } from "./pinned.ts";

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
