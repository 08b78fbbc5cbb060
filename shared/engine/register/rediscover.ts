/** Discovers a registered deployment again, and registers new revisions if it announces something else. */
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import { withChangedSettings } from "../../core/registry/changed-settings.ts";
import { recipientOf } from "../../core/registry/deployment-identity.ts";
import { decideRegistration, deploymentsAt } from "../../core/registry/registration.ts";
import { sameManifest } from "../../core/registry/same-manifest.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import { destinationAsked, discover } from "./discover.ts";
import type { Discovered, HttpAddress } from "./discover.ts";
import { warnOfDropped } from "./dropped-handlers.ts";
import type { Engine } from "../engine.ts";
import type { RegisterRequest } from "./register.ts";
import { leaveOthers } from "./served-elsewhere.ts";

export interface Rediscovered {
  /** `gone`: meanwhile an operator has removed the deployment, or has moved it to another address. */
  readonly kind: "unchanged" | "replaced" | "gone";
  readonly deployment: Deployment;
}

/**
 * Replaces only what the deployment announces. Everything that an operator has set stays: headers, metadata, the version
 * of HTTP, and changed settings of services. But if the scheme, host or port differs from the registered one, the headers are
 * neither sent nor kept.
 * @param registered the deployment that is registered under the address
 * @throws the errors of `discover` and `changeRegistry`; CodedError META0005 or META0017; ServedElsewhere
 */
export async function rediscover(
  engine: Engine,
  registered: Deployment,
  address: HttpAddress & Pick<RegisterRequest, "leavesOthers">,
): Promise<Rediscovered> {
  const discovered = await discover(engine, requestFor(registered, address));
  const { destination, manifest } = discovered;
  if (sameManifest(registered, manifest)) return { kind: "unchanged", deployment: registered };
  await warnOfDropped(engine, registered, manifest.services);
  const { kind, deployment } = await changeRegistry(engine, (existing) => {
    const current = deploymentsAt(existing, destination).find(({ id }) => id === registered.id);
    if (current === undefined) return { kind: "gone", deployment: registered } as const;
    if (sameManifest(current, manifest)) return { kind: "nothing", deployment: current } as const;
    if (address.leavesOthers === true) leaveOthers(existing, destination, manifest.services);
    return { kind: "write", deployment: replacement(engine, existing, current, discovered) } as const;
  });
  if (kind !== "write") return { kind: kind === "gone" ? "gone" : "unchanged", deployment };
  engine.log.write("deployment.registered", {
    deploymentId: deployment.id,
    address: addressOf(deployment.destination),
    outcome: "replaced",
    services: servicesText(deployment),
  });
  return { kind: "replaced", deployment };
}

function requestFor(registered: Deployment, { uri, useHttp11 }: HttpAddress) {
  const { destination } = registered;
  if (!isRecipient(registered, { uri, useHttp11 })) return { uri, useHttp11, additionalHeaders: {} };
  const isHttp11 = destination.kind === "http" && destination.httpVersion === "http1.1";
  return { uri, useHttp11: useHttp11 || isHttp11, additionalHeaders: registered.additionalHeaders };
}

function isRecipient({ destination }: Deployment, address: HttpAddress): boolean {
  return recipientOf(destination) === recipientOf(destinationAsked(address));
}

function replacement(
  engine: Engine,
  existing: readonly Deployment[],
  current: Deployment,
  { destination, manifest, sdkVersion }: Discovered,
): Deployment {
  const isSameRecipient = recipientOf(current.destination) === recipientOf(destination);
  const decision = decideRegistration(existing, {
    destination,
    additionalHeaders: isSameRecipient ? current.additionalHeaders : {},
    metadata: current.metadata,
    manifest: { ...manifest, services: withChangedSettings(current.services, manifest.services) },
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    force: true,
    breaking: false,
    freshId: current.id,
    nowMs: engine.clock.nowMs(),
  });
  if (decision.kind === "refused") throw decision.error;
  return decision.deployment;
}
