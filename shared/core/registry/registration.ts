/** Decides a registration by the rules of revisions, reserved names and conflicts, without any I/O. */
import { CodedError } from "../errors/coded-error.ts";
import type { ThrownCode } from "../errors/error-table.ts";
import { addressOf, type Deployment, type DeploymentDestination, type ServiceRevision } from "../model/deployment.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { Service } from "../model/service.ts";
import { identityOf } from "./deployment-identity.ts";
import { latestRevisions, type LatestRevision } from "./latest-revisions.ts";
import type { DiscoveredManifest } from "./same-manifest.ts";

/** The input of a registration, beside the registered deployments. */
export interface Registration {
  readonly destination: DeploymentDestination;
  readonly additionalHeaders: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly manifest: DiscoveredManifest;
  readonly sdkVersion?: string;
  /** Replaces the deployment at this address; implies `breaking`. */
  readonly force: boolean;
  /** Lets a service change its type or lose handlers. */
  readonly breaking: boolean;
  /** The id of a new deployment; a replaced deployment keeps its id. */
  readonly freshId: DeploymentId;
  readonly nowMs: number;
}

export type Decision =
  | { readonly kind: "created" | "replaced"; readonly deployment: Deployment }
  | { readonly kind: "refused"; readonly error: CodedError };

/** The deployments at an address: at most one, unless an update in place moved another one to this address. */
export function deploymentsAt(
  existing: readonly Deployment[],
  destination: DeploymentDestination,
): readonly Deployment[] {
  const identity = identityOf(destination);
  return existing.filter((deployment) => identityOf(deployment.destination) === identity);
}

/** @param existing every registered deployment */
export function decideRegistration(existing: readonly Deployment[], registration: Registration): Decision {
  const reserved = reservedNameOf(registration.manifest.services);
  if (reserved !== undefined) return { kind: "refused", error: reserved };

  const registered = deploymentsAt(existing, registration.destination);
  const [replaced] = registered;
  if (replaced !== undefined && !registration.force) return { kind: "refused", error: alreadyRegistered(replaced) };
  if (registered.length > 1) {
    const ids = registered.map(({ id }) => id).join(", ");
    return refused("META0017", `${addressOf(registration.destination)} belongs to ${ids}`);
  }

  const latest = latestRevisions(existing);
  if (!registration.force && !registration.breaking) {
    const conflict = firstConflict(registration.manifest.services, latest);
    if (conflict !== undefined) return refused("META0006", conflict);
  }
  return {
    kind: replaced === undefined ? "created" : "replaced",
    deployment: deploymentOf(registration, replaced, latest),
  };
}

function refused(code: ThrownCode, detail: string): Decision {
  return { kind: "refused", error: new CodedError(code, detail) };
}

/** A registration replaces the deployment at an address only with force. */
export function alreadyRegistered({ id, destination }: Deployment): CodedError {
  return new CodedError(
    "META0004",
    `${addressOf(destination)} belongs to ${id}; register under another address, or replace that deployment with force: ${replacingRequest(destination)}`,
  );
}

/** The request that replaces the deployment; an address with a masked part is left out, because no request can repeat it. */
function replacingRequest(destination: DeploymentDestination): string {
  const address = addressOf(destination);
  if (destination.kind === "http" && destination.uri !== address) return 'add "force":true to the same request';
  const place = destination.kind === "http" ? { uri: address } : { arn: address };
  return `POST /deployments ${JSON.stringify({ ...place, force: true })}, with the other members of the same request`;
}

/** @returns META0005 if a service name is reserved */
export function reservedNameOf(services: readonly Service[]): CodedError | undefined {
  const reserved = services.find(({ name }) => name.toLowerCase().startsWith("restate") || name === "openapi");
  return reserved && new CodedError("META0005", `the service name '${reserved.name}' is reserved`);
}

function firstConflict(services: readonly Service[], latest: ReadonlyMap<string, LatestRevision>): string | undefined {
  for (const service of services) {
    const known = latest.get(service.name)?.service;
    if (known === undefined) continue;
    if (known.type !== service.type) {
      return `'${service.name}' would change its type from ${known.type} to ${service.type}`;
    }
    const offered = new Set(service.handlers.map((handler) => handler.name));
    const missing = known.handlers.filter((handler) => !offered.has(handler.name)).map((handler) => handler.name);
    if (missing.length > 0) {
      return `'${service.name}' would lose handlers of revision ${known.revision}: ${missing.join(", ")}`;
    }
  }
  return undefined;
}

function deploymentOf(
  registration: Registration,
  replaced: Deployment | undefined,
  latest: ReadonlyMap<string, LatestRevision>,
): Deployment {
  const { manifest, sdkVersion } = registration;
  return {
    id: replaced?.id ?? registration.freshId,
    destination: registration.destination,
    protocolMode: manifest.protocolMode,
    minProtocolVersion: manifest.minProtocolVersion,
    maxProtocolVersion: manifest.maxProtocolVersion,
    additionalHeaders: registration.additionalHeaders,
    metadata: registration.metadata,
    createdAtMs: replaced?.createdAtMs ?? registration.nowMs,
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    services: manifest.services.map((service): ServiceRevision => ({
      ...service,
      revision: (latest.get(service.name)?.service.revision ?? 0) + 1,
    })),
  };
}
