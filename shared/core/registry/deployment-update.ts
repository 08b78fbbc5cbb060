/** An update in place: decides whether a deployment may take another destination or newly discovered services. */
import { CodedError } from "../errors/coded-error.ts";
import type { Deployment, DeploymentDestination } from "../model/deployment.ts";
import type { Service } from "../model/service.ts";
import { reservedNameOf } from "./registration.ts";
import type { DiscoveredManifest } from "./same-manifest.ts";

export interface DeploymentUpdate {
  readonly destination: DeploymentDestination;
  readonly additionalHeaders: Readonly<Record<string, string>>;
  readonly manifest: DiscoveredManifest;
  readonly sdkVersion?: string;
}

/**
 * The rule of an update: `similar` takes the discovered services unless a service is gone, changed its type or lost a handler;
 * `address` keeps the old services; `services` takes the discovered ones unconditionally. Protocol versions never change, because
 * open invocations are pinned to a protocol version.
 */
export type UpdateRule = "similar" | "address" | "services";

export type UpdateDecision =
  | { readonly kind: "updated"; readonly deployment: Deployment }
  | { readonly kind: "refused"; readonly error: CodedError };

export function decideUpdate(registered: Deployment, update: DeploymentUpdate, rule: UpdateRule): UpdateDecision {
  const { manifest, sdkVersion } = update;
  const difference =
    versionDifference(registered, manifest) ??
    (rule === "similar" ? serviceDifference(registered.services, manifest.services) : undefined);
  if (difference !== undefined) return { kind: "refused", error: new CodedError("META0016", difference) };
  const reserved = rule === "address" ? undefined : reservedNameOf(manifest.services);
  if (reserved !== undefined) return { kind: "refused", error: reserved };
  const { sdkVersion: formerSdk, ...kept } = registered;
  const shownSdk = sdkVersion ?? formerSdk;
  return {
    kind: "updated",
    deployment: {
      ...kept,
      destination: update.destination,
      protocolMode: manifest.protocolMode,
      additionalHeaders: update.additionalHeaders,
      ...(shownSdk === undefined ? {} : { sdkVersion: shownSdk }),
      services: rule === "address" ? registered.services : revised(registered, manifest.services),
    },
  };
}

/** Each service keeps its revision, so that an update repairs a draining deployment without making it active again. */
function revised(registered: Deployment, discovered: readonly Service[]): Deployment["services"] {
  const revisions = new Map(registered.services.map(({ name, revision }) => [name, revision]));
  return discovered.map((service) => ({ ...service, revision: revisions.get(service.name) ?? 1 }));
}

function versionDifference(registered: Deployment, { minProtocolVersion, maxProtocolVersion }: DiscoveredManifest) {
  if (registered.minProtocolVersion === minProtocolVersion && registered.maxProtocolVersion === maxProtocolVersion) {
    return undefined;
  }
  const before = `${registered.minProtocolVersion} to ${registered.maxProtocolVersion}`;
  return `its protocol versions would change from ${before} to ${minProtocolVersion} to ${maxProtocolVersion}`;
}

function serviceDifference(before: readonly Service[], discovered: readonly Service[]): string | undefined {
  const offered = new Map(discovered.map((service) => [service.name, service]));
  for (const { name, type, handlers } of before) {
    const after = offered.get(name);
    if (after === undefined) return `the service '${name}' is gone`;
    if (after.type !== type) return `'${name}' would change its type from ${type} to ${after.type}`;
    const kept = new Set(after.handlers.map((handler) => handler.name));
    const lost = handlers.filter((handler) => !kept.has(handler.name)).map((handler) => handler.name);
    if (lost.length > 0) return `'${name}' would lose the handlers ${lost.join(", ")}`;
  }
  return undefined;
}
