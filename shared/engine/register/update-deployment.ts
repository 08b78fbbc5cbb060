/** Update in place: discovers a registered deployment again, at its address or another, and keeps its id and revisions. */
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { decideUpdate } from "../../core/registry/deployment-update.ts";
import type { UpdateRule } from "../../core/registry/deployment-update.ts";
import { recipientOf } from "../../core/registry/deployment-identity.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import { destinationAsked, discover } from "./discover.ts";
import type { DiscoveryRequest } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";

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
