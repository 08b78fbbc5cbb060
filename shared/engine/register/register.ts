/** Registers a deployment: discovers it, decides how the registry changes, and stores the change. */
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import { DEPLOYMENT_ID_BYTES, deploymentIdFromBytes } from "../../core/model/ids.ts";
import { alreadyRegistered, decideRegistration, deploymentsAt } from "../../core/registry/registration.ts";
import type { Registration } from "../../core/registry/registration.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import { destinationAsked, discover } from "./discover.ts";
import type { Discovered, DiscoveryRequest } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";
import { leaveOthers } from "./served-elsewhere.ts";

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
