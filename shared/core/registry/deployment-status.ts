/** The status of a deployment: whether it receives new requests, and whether it can be removed. */
import type { Deployment } from "../model/deployment.ts";
import type { LatestRevision } from "./latest-revisions.ts";

/** `draining` serves no new request, but open invocations are pinned to it; `drained` has no open invocations either. */
export type DeploymentStatus = "active" | "draining" | "drained";

/** Whether the deployment owns the latest revision of one of its services. */
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
