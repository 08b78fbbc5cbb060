/** The status of a deployment, which shows whether the deployment gets new invocations and whether it can be removed. */
import type { Deployment } from "../model/deployment.ts";
import type { LatestRevision } from "./latest-revisions.ts";

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
