/** Finds the deployment that serves a service: the one with the highest revision of it. */
import type { Deployment, ServiceRevision } from "../model/deployment.ts";

export interface LatestRevision {
  readonly service: ServiceRevision;
  readonly deployment: Deployment;
}

/**
 * By service name. Registration never creates two equal revisions of a service. If stored data contains a tie, the
 * younger deployment wins, and of two from the same millisecond the one with the greater id, so that every reader
 * agrees.
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
