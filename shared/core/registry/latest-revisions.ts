/** Finds the deployment that serves each service, the one with its highest revision, and so the status of a deployment. */
import type { Deployment, ServiceRevision } from "../model/deployment.ts";

export interface LatestRevision {
  readonly service: ServiceRevision;
  readonly deployment: Deployment;
}

/**
 * The latest revisions by service name. Registration never creates two equal revisions of a service. If stored data
 * contains them, the younger deployment counts, or the greater id if both were created in the same millisecond. So all
 * processes choose the same one.
 */
export function latestRevisions(deployments: Iterable<Deployment>): ReadonlyMap<string, LatestRevision> {
  const latest = new Map<string, LatestRevision>();
  for (const deployment of deployments) {
    for (const service of deployment.services) {
      const candidate = { service, deployment };
      const known = latest.get(service.name);
      if (known === undefined || isLater(candidate, known)) latest.set(service.name, candidate);
    }
  }
  return latest;
}

function isLater(left: LatestRevision, right: LatestRevision): boolean {
  if (left.service.revision !== right.service.revision) return left.service.revision > right.service.revision;
  if (left.deployment.createdAtMs !== right.deployment.createdAtMs) {
    return left.deployment.createdAtMs > right.deployment.createdAtMs;
  }
  return left.deployment.id > right.deployment.id;
}

/**
 * `active`: gets new invocations. `draining`: gets none, but open invocations are pinned to it. `drained`: gets none, and no
 * open invocation is pinned to it.
 */
export type DeploymentStatus = "active" | "draining" | "drained";

/** True if the deployment has the latest revision of at least one of its services. */
export function isActive({ id, services }: Deployment, latest: ReadonlyMap<string, LatestRevision>): boolean {
  return services.some(({ name }) => latest.get(name)?.deployment.id === id);
}

/** @param pinned the number of open invocations that are pinned to the deployment */
export function deploymentStatus(
  deployment: Deployment,
  latest: ReadonlyMap<string, LatestRevision>,
  pinned: number,
): DeploymentStatus {
  if (isActive(deployment, latest)) return "active";
  return pinned > 0 ? "draining" : "drained";
}
