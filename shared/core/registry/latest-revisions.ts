/** Finds the deployment that serves each service, which is the deployment with the service's highest revision. */
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
