/** Registers a deployment: discovers it, decides how the registry changes, and stores the change. */
import { type Deployment, type DeploymentDestination, addressOf } from "../../core/model/deployment.ts";
import { DEPLOYMENT_ID_BYTES, deploymentIdFromBytes } from "../../core/model/ids.ts";
import {
  type Registration,
  alreadyRegistered,
  decideRegistration,
  deploymentsAt,
} from "../../core/registry/registration.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import { type Discovered, type DiscoveryRequest, destinationAsked, discover } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";
import { identityOf } from "../../core/registry/deployment-identity.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";

export type RegisterRequest = DiscoveryRequest & {
  /** Shown with the deployment. It is not compared when a deployment is registered again. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly force: boolean;
  readonly breaking: boolean;
  /** If true, `register` discovers and decides, but stores nothing. A later registration does not use the answered id. */
  readonly dryRun: boolean;
  /** True if nobody has asked for the registration: services of other deployments then stay with them. */
  readonly leavesOthers?: boolean;
};

export interface Registered {
  /** `unchanged` only in a dry run without `force`, if the address is registered already. */
  readonly kind: "created" | "replaced" | "unchanged";
  readonly deployment: Deployment;
}

/**
 * Registers a deployment. Without `force`, an address that is registered already is found before any exchange with it.
 * @throws the errors of `discover` and `changeRegistry`; CodedError META0004, META0005, META0006 or META0017; ServedElsewhere
 */
export async function register(engine: Engine, request: RegisterRequest): Promise<Registered> {
  if (!request.force) {
    const { deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
    const [registered] = deploymentsAt(deployments, destinationAsked(request));
    if (registered !== undefined && request.dryRun) return { kind: "unchanged", deployment: registered };
    if (registered !== undefined) throw alreadyRegistered(registered);
  }
  const registration = registrationOf(engine, request, await discover(engine, request));
  const { outcome, deployment } = await changeRegistry(engine, (existing) => {
    if (request.leavesOthers === true) leaveOthers(existing, registration.destination, registration.manifest.services);
    const decision = decideRegistration(existing, registration);
    if (decision.kind === "refused") throw decision.error;
    const kind: "nothing" | "write" = request.dryRun ? "nothing" : "write";
    return { kind, deployment: decision.deployment, outcome: decision.kind };
  });
  if (!request.dryRun) {
    engine.log.write("deployment.registered", {
      deploymentId: deployment.id,
      address: addressOf(deployment.destination),
      outcome,
      services: servicesText(deployment),
    });
  }
  return { kind: outcome, deployment };
}

function registrationOf(
  engine: Engine,
  request: RegisterRequest,
  { destination, manifest, sdkVersion }: Discovered,
): Registration {
  return {
    destination,
    additionalHeaders: request.additionalHeaders,
    metadata: request.metadata,
    manifest,
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    force: request.force,
    breaking: request.breaking,
    freshId: deploymentIdFromBytes(engine.ids.random(DEPLOYMENT_ID_BYTES)),
    nowMs: engine.clock.nowMs(),
  };
}

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
