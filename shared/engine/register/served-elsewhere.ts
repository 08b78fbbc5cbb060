/** Keeps a registration that nobody has asked for from taking a service over from another deployment. */
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment, DeploymentDestination } from "../../core/model/deployment.ts";
import { identityOf } from "../../core/registry/deployment-identity.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";

/** The services would get new revisions, and the next callers would reach the new deployment. */
export class ServedElsewhere extends Error {
  override name = "ServedElsewhere";
  /** The service names, each with the deployment that serves it. */
  readonly services: string;

  constructor(services: string) {
    super(`other deployments serve ${services}`);
    this.services = services;
  }
}

/** @throws ServedElsewhere if a deployment at another address has the latest revision of one of the services */
export function leaveOthers(
  existing: readonly Deployment[],
  destination: DeploymentDestination,
  services: readonly { readonly name: string }[],
): void {
  const latest = latestRevisions(existing);
  const own = identityOf(destination);
  const served = services.flatMap(({ name }) => {
    const found = latest.get(name)?.deployment;
    return found === undefined || identityOf(found.destination) === own
      ? []
      : [`${name} (${found.id} at ${addressOf(found.destination)})`];
  });
  if (served.length > 0) throw new ServedElsewhere(served.join(", "));
}
