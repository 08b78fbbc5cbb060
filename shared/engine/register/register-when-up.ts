/** Registers a deployment as soon as it answers, or registers it again if its manifest has changed. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import { deploymentsAt } from "../../core/registry/registration.ts";
import { sameManifest } from "../../core/registry/same-manifest.ts";
import { destinationAsked } from "./discover.ts";
import type { HttpAddress } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { rediscover } from "./rediscover.ts";
import { register } from "./register.ts";
import type { Registered, RegisterRequest } from "./register.ts";

const EVERY_MS = 500;

type Unforced = HttpAddress & Omit<RegisterRequest, "force" | "dryRun">;

export interface RegisteredUp {
  /**
   * `replaced`: the manifest had changed, so the deployment was registered again under its address. `removed`: an operator
   * removed the deployment, and its manifest is still the same, or an operator removed it during this registration.
   */
  readonly kind: Registered["kind"] | "removed";
  readonly deployment: Deployment;
}

export interface WantedDeployment {
  readonly uri: string;
  readonly useHttp11: boolean;
  /** The deployment that an operator removed: it is registered again only if its manifest has changed since. */
  readonly removed?: Deployment;
  /** Present if no operator has asked for this deployment: services of other deployments then stay with them. */
  readonly leavesOthers?: true;
}

/** The address in the form for logs. */
export function loggedAddress(address: Pick<HttpAddress, "uri">): string {
  return addressOf(address);
}

/** The deployments that are registered under the address now: at most one, unless updates in place have moved more there. */
export async function registeredUnder(
  { registry }: Pick<Engine, "registry">,
  address: HttpAddress,
): Promise<readonly Deployment[]> {
  registry.refresh();
  return deploymentsAt(await registry.deployments(), destinationAsked(address));
}

/**
 * @param onWaiting called once if the deployment does not answer at first
 * @returns undefined if the signal aborted first
 * @throws the errors of `register`, except META0003, after which it tries again
 */
export async function registerWhenUp(
  engine: Engine,
  { removed, ...address }: WantedDeployment,
  onWaiting: (reason: string) => void,
  signal: AbortSignal,
): Promise<RegisteredUp | undefined> {
  const request = { ...address, additionalHeaders: {}, metadata: {}, breaking: false };
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await registerChanged(engine, request, removed);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (error.code !== "META0003") throw error;
      if (tries === 1) onWaiting(error.message);
      await engine.clock.sleep(EVERY_MS, signal);
    }
  }
  return undefined;
}

/** If the manifest is unchanged, the registered deployment stays as it is; otherwise it gets new revisions. */
async function registerChanged(
  engine: Engine,
  request: Unforced,
  removed: Deployment | undefined,
): Promise<RegisteredUp> {
  const { kind, deployment } = await register(engine, { ...request, dryRun: true, force: false });
  if (kind === "created" && removed !== undefined && sameManifest(removed, deployment))
    return { kind: "removed", deployment: removed };
  if (kind === "created") return await register(engine, { ...request, dryRun: false, force: false });
  const found = await rediscover(engine, deployment, request);
  return { kind: found.kind === "gone" ? "removed" : found.kind, deployment: found.deployment };
}
