/** Where a deployment stands: whether new requests still come to it, and whether it may go. */
import type { Deployment } from "../model/deployment.ts";
import type { LatestRevision } from "./latest-revisions.ts";

/** `draining` serves no new request, but open invocations are fixed to it; `drained` has not even those. */
export type DeploymentStatus = "active" | "draining" | "drained";

/** Whether it owns the latest revision of one of its services. */
export function isActive({ id, services }: Deployment, latest: ReadonlyMap<string, LatestRevision>): boolean {
  return services.some(({ name }) => latest.get(name)?.deployment.id === id);
}

/** @param pinned open invocations that are fixed to it */
export function deploymentStatus(
  deployment: Deployment,
  latest: ReadonlyMap<string, LatestRevision>,
  pinned: number,
): DeploymentStatus {
  if (isActive(deployment, latest)) return "active";
  return pinned > 0 ? "draining" : "drained";
}
