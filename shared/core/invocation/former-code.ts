/** In a journal mismatch: the deployment whose code recorded the entry that differs. That code could continue the invocation. */
import type { Deployment } from "../model/deployment.ts";
import type { DeploymentId } from "../model/ids.ts";

export interface FormerCode {
  /** The deployment that recorded the entry. */
  readonly deploymentId: DeploymentId;
  /** False if the deployment has been removed, or no longer offers the service. */
  readonly isRegistered: boolean;
}

/** @param recorder the deployment that recorded the entry; undefined if it is unknown */
export function formerCodeOf(
  deployments: readonly Deployment[],
  service: string,
  recorder: DeploymentId | undefined,
): FormerCode | undefined {
  if (recorder === undefined) return undefined;
  const found = deployments.find(({ id }) => id === recorder);
  return { deploymentId: recorder, isRegistered: found?.services.some(({ name }) => name === service) ?? false };
}
