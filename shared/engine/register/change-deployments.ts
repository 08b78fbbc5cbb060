/** Changes what is registered: updates or removes a deployment, or sets the settings of a service. */
import { type Deployment, addressOf } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { type UpdateRule, decideUpdate } from "../../core/registry/deployment-update.ts";
import { recipientOf } from "../../core/registry/deployment-identity.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import { type DiscoveryRequest, destinationAsked, discover } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";
import type { HandlerSettings } from "../../core/model/service.ts";
import { type LatestRevision, latestRevisions } from "../../core/registry/latest-revisions.ts";
import { type Needs, neededBy } from "./needed-by.ts";

/** Absent members stay as registered. */
export interface UpdateRequest {
  readonly uri?: string;
  readonly arn?: string;
  readonly useHttp11?: boolean;
  readonly assumeRoleArn?: string;
  /** Replaces all headers. Required if the deployment has headers and the new address belongs to another recipient. */
  readonly additionalHeaders?: Readonly<Record<string, string>>;
  readonly rule: UpdateRule;
  /** Discovers and decides, but stores nothing. */
  readonly dryRun: boolean;
}

/** A deployment over HTTP cannot become a Lambda function, nor the other way round. */
export class DestinationKindError extends Error {
  override name = "DestinationKindError";
}

/** Stored headers are mostly credentials, which no API returns: an update must not send them to another recipient. */
export class HeadersElsewhereError extends Error {
  override name = "HeadersElsewhereError";
}

/**
 * The new address may belong to another deployment: both deployments share the address until one of them is removed.
 * @returns undefined if there is no such deployment
 * @throws the errors of `discover` and `changeRegistry`; CodedError META0005 or META0016; DestinationKindError,
 *   HeadersElsewhereError
 */
export async function updateDeployment(
  engine: Engine,
  id: DeploymentId,
  request: UpdateRequest,
): Promise<Deployment | undefined> {
  const { deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
  const registered = deployments.find((deployment) => deployment.id === id);
  if (registered === undefined) return undefined;
  const asked = discoveryOf(registered, request);
  // Checked before the discovery, which sends the headers.
  if (request.additionalHeaders === undefined) refuseHeadersElsewhere(registered, asked);
  const discovered = await discover(engine, asked);
  const update = { ...discovered, additionalHeaders: asked.additionalHeaders };
  const { kind, deployment } = await changeRegistry(engine, (existing) => {
    const current = existing.find((one) => one.id === id);
    if (current === undefined) return { kind: "gone", deployment: registered } as const;
    const decision = decideUpdate(current, update, request.rule);
    if (decision.kind === "refused") throw decision.error;
    return { kind: request.dryRun ? "nothing" : "write", deployment: decision.deployment } as const;
  });
  if (kind === "gone") return undefined;
  if (kind === "write") {
    engine.log.write("deployment.updated", {
      deploymentId: id,
      address: addressOf(deployment.destination),
      services: servicesText(deployment),
    });
  }
  return deployment;
}

function discoveryOf({ destination, additionalHeaders }: Deployment, request: UpdateRequest): DiscoveryRequest {
  const headers = { additionalHeaders: request.additionalHeaders ?? additionalHeaders };
  if (destination.kind === "lambda") {
    if (request.uri !== undefined || request.useHttp11 !== undefined) {
      throw new DestinationKindError("the deployment is a function: give an arn, or nothing to discover it again");
    }
    const assumeRoleArn = request.assumeRoleArn ?? destination.assumeRoleArn;
    return { arn: request.arn ?? destination.arn, ...(assumeRoleArn && { assumeRoleArn }), ...headers };
  }
  if (request.arn !== undefined || request.assumeRoleArn !== undefined) {
    throw new DestinationKindError("the deployment is reached over HTTP: give a uri, or nothing to discover it again");
  }
  const useHttp11 = request.useHttp11 ?? destination.httpVersion === "http1.1";
  return { uri: request.uri ?? destination.uri, useHttp11, ...headers };
}

/**
 * Compares only the recipients. The assumed role may change: this server assumes the role, and the same function receives the
 * headers.
 */
function refuseHeadersElsewhere({ id, destination, additionalHeaders }: Deployment, asked: DiscoveryRequest): void {
  const names = Object.keys(additionalHeaders);
  if (names.length === 0) return;
  const before = recipientOf(destination);
  const after = recipientOf(destinationAsked(asked));
  if (before === after) return;
  throw new HeadersElsewhereError(
    `The deployment '${id}' has stored headers (${names.join(", ")}) for ${before}, which an update does not carry to ${after}: ` +
      `send additional_headers with the headers for ${after}, or {} for none`,
  );
}

/** The settings that an operator may change; an absent member stays as it is. Durations are in milliseconds. */
export type ServiceChanges = Pick<
  HandlerSettings,
  | "private"
  | "idempotencyRetentionMs"
  | "workflowRetentionMs"
  | "journalRetentionMs"
  | "inactivityTimeoutMs"
  | "abortTimeoutMs"
  | "startWithinMs"
  | "endWithinMs"
>;

/** Only a workflow has a retention for the result of its run. */
export class NoWorkflowError extends Error {
  override name = "NoWorkflowError";
}

/**
 * Changes the latest revision of the service. The handlers' own settings still take precedence.
 * @returns undefined if there is no such service
 * @throws the errors of `changeRegistry`; NoWorkflowError
 */
export async function modifyService(
  engine: Engine,
  name: string,
  changes: ServiceChanges,
): Promise<LatestRevision | undefined> {
  const { deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
  const before = latestRevisions(deployments).get(name);
  if (before === undefined || Object.keys(changes).length === 0) return before;
  const { kind, deployment } = await changeRegistry(engine, (existing) => {
    const latest = latestRevisions(existing).get(name);
    if (latest === undefined) return { kind: "gone", deployment: before.deployment } as const;
    return { kind: "write", deployment: withSettings(latest, changes) } as const;
  });
  if (kind === "gone") return undefined;
  engine.log.write("service.changed", { service: name, settings: Object.keys(changes).join(",") });
  return { deployment, service: deployment.services.find((service) => service.name === name)! };
}

function withSettings({ deployment, service }: LatestRevision, changes: ServiceChanges): LatestRevision["deployment"] {
  if (changes.workflowRetentionMs !== undefined && service.type !== "workflow") {
    throw new NoWorkflowError(`'${service.name}' is no workflow`);
  }
  const announcedSettings = service.announcedSettings ?? service.settings;
  const changed = { ...service, settings: { ...service.settings, ...changes }, announcedSettings };
  return {
    ...deployment,
    services: deployment.services.map((one) => (one.name === service.name ? changed : one)),
  };
}

export type Removed =
  | { readonly kind: "removed"; readonly deployment: Deployment }
  | { readonly kind: "unknown" }
  | { readonly kind: "in-use"; readonly needs: Needs };

/**
 * If the latest revision of a service is removed, the service goes back to its previous revision, if there is one.
 * @param force skips the count of invocations that need the deployment. The attempts of such invocations then fail with
 *   RT0011 until another deployment serves them.
 * @throws the errors of `changeRegistry`
 */
export async function removeDeployment(engine: Engine, id: DeploymentId, force: boolean): Promise<Removed> {
  const { deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
  const registered = deployments.find((deployment) => deployment.id === id);
  if (registered === undefined) return { kind: "unknown" };
  if (!force) {
    const needs = await neededBy(engine, deployments, id);
    if (needs.pinned + needs.unserved > 0 || needs.isAtLeast) return { kind: "in-use", needs };
  }
  const gone = await changeRegistry(engine, (existing) => {
    const current = existing.find((deployment) => deployment.id === id);
    // Another request has removed it meanwhile.
    if (current === undefined) return { kind: "gone", deployment: registered } as const;
    return { kind: "delete", deployment: current } as const;
  });
  engine.log.write("deployment.removed", {
    deploymentId: id,
    address: addressOf(gone.deployment.destination),
    force,
  });
  return { kind: "removed", deployment: gone.deployment };
}
