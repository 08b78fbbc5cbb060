/** Registration: discover a deployment, decide what that means for the registry, and store it. */
import { CodedError } from "../core/errors/coded-error.ts";
import { addressOf } from "../core/model/deployment.ts";
import type { Deployment } from "../core/model/deployment.ts";
import { DEPLOYMENT_ID_BYTES, deploymentIdFromBytes } from "../core/model/ids.ts";
import { decideRegistration } from "../core/registry/registration.ts";
import type { Decision } from "../core/registry/registration.ts";
import { discover } from "./discover.ts";
import type { Discovered, DiscoveryRequest } from "./discover.ts";
import type { Engine } from "./engine.ts";
import { DEPLOYMENT_MAX_BYTES, deploymentBytes, readRegistry, writeDeployment } from "./registry-items.ts";

/** Registrations are rare; who loses so often meets something else than another registration. */
const TRIES = 10;

export type RegisterRequest = DiscoveryRequest & {
  /** Shown with the deployment; not part of what is compared. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly force: boolean;
  readonly breaking: boolean;
  /** Discovers and decides, but stores nothing; the id of a new deployment is then a throw-away. */
  readonly dryRun: boolean;
};

export interface Registered {
  readonly kind: "created" | "replaced" | "unchanged";
  readonly deployment: Deployment;
}

/** @throws what `discover` throws; CodedError META0004, META0005, META0006 or META0017 where the registry refuses */
export async function register(engine: Engine, request: RegisterRequest): Promise<Registered> {
  const discovered = await discover(engine, request);
  for (let tried = 0; tried < TRIES; tried++) {
    const { version, deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
    const decision = decide(engine, request, discovered, deployments);
    if (decision.kind === "refused") throw decision.error;
    const { kind, deployment } = decision;
    if (kind === "unchanged" || request.dryRun) return { kind, deployment };
    assertStorable(deployment);
    if (await writeDeployment(engine.meta, engine.settings.keyPrefix, deployment, version)) {
      engine.registry.refresh();
      engine.log.info("a deployment was registered", {
        deploymentId: deployment.id,
        address: addressOf(deployment.destination),
        outcome: kind,
        services: deployment.services.map(({ name, revision }) => `${name}@${revision}`).join(","),
      });
      return { kind, deployment };
    }
  }
  throw new Error(`the registry changed ${TRIES} times while a deployment was being registered`);
}

function decide(
  engine: Engine,
  request: RegisterRequest,
  { destination, manifest, sdkVersion }: Discovered,
  existing: readonly Deployment[],
): Decision {
  return decideRegistration(existing, {
    destination,
    additionalHeaders: request.additionalHeaders,
    metadata: request.metadata,
    manifest,
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    force: request.force,
    breaking: request.breaking,
    freshId: deploymentIdFromBytes(engine.ids.random(DEPLOYMENT_ID_BYTES)),
    nowMs: engine.clock.nowMs(),
  });
}

function assertStorable(deployment: Deployment): void {
  const size = deploymentBytes(deployment);
  if (size <= DEPLOYMENT_MAX_BYTES) return;
  throw new CodedError(
    "META0013",
    `the manifest takes ${size} bytes and at most ${DEPLOYMENT_MAX_BYTES} can be kept; split the deployment or shorten its JSON schemas`,
  );
}
