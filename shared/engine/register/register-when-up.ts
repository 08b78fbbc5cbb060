/** Registers a deployment as soon as it answers, or registers it again if its manifest has changed. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf, type Deployment } from "../../core/model/deployment.ts";
import { deploymentsAt, decideRegistration } from "../../core/registry/registration.ts";
import { sameManifest } from "../../core/registry/same-manifest.ts";
import { destinationAsked, discover, type HttpAddress, type Discovered } from "./discover.ts";
import type { Engine } from "../engine.ts";
import { register, leaveOthers, type Registered, type RegisterRequest } from "./register.ts";
import { withChangedSettings } from "../../core/registry/effective-settings.ts";
import { recipientOf } from "../../core/registry/deployment-identity.ts";
import { changeRegistry, servicesText } from "./change-registry.ts";
import type { Service } from "../../core/model/service.ts";
import { OPEN_STATUSES, listInvocations } from "../query/list-invocations.ts";
import type { ListPosition } from "../query/list-position.ts";

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

/** Discovers a registered deployment again, and registers new revisions if it announces something else. */
interface Rediscovered {
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
async function rediscover(
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

/** The most handlers that get a line of their own in the log. */
const LINES_MAX = 20;
const IDS_SHOWN_MAX = 5;
const TARGET_MAX_CHARACTERS = 200;
const PAGE = 500;
const PAGES_MAX = 10;

interface DroppedHandler {
  readonly service: string;
  readonly handler: string;
}

interface OpenOfHandler {
  count: number;
  /** The ids of the newest of these invocations. */
  readonly ids: string[];
}

/** The handlers that the first list has and the second one lacks. */
function droppedHandlers(before: readonly Service[], after: readonly Service[]): readonly DroppedHandler[] {
  const kept = new Set(after.flatMap(({ name, handlers }) => handlers.map((handler) => keyOf(name, handler.name))));
  return before
    .flatMap(({ name, handlers }) => handlers.map((handler) => ({ service: name, handler: handler.name })))
    .filter(({ service, handler }) => !kept.has(keyOf(service, handler)));
}

/** Logs a line for each dropped handler with open invocations. Never throws: the warning must not prevent the replacement. */
async function warnOfDropped(engine: Engine, registered: Deployment, offered: readonly Service[]): Promise<void> {
  const dropped = droppedHandlers(registered.services, offered);
  if (dropped.length === 0) return;
  const { found, isAtLeast } = await openByHandler(engine, registered, dropped);
  const warned = [...found].filter(([, { count }]) => count > 0);
  for (const [target, { count, ids }] of warned.slice(0, LINES_MAX)) {
    engine.log.write("handler.dropped", {
      deploymentId: registered.id,
      target: target.slice(0, TARGET_MAX_CHARACTERS),
      open: count,
      ...(isAtLeast && { isAtLeast }),
      invocationIds: ids.join(","),
    });
  }
}

/**
 * Counts by pages, at most `PAGES_MAX`, so that a flood of open invocations costs a bounded number of reads. If the function does
 * not reach the last page, each count is a lower bound.
 */
async function openByHandler(
  engine: Engine,
  { id }: Deployment,
  dropped: readonly DroppedHandler[],
): Promise<{ readonly found: ReadonlyMap<string, OpenOfHandler>; readonly isAtLeast: boolean }> {
  const found = new Map(dropped.map(({ service, handler }) => [keyOf(service, handler), emptyCount()]));
  const narrowing = new Map([
    ["status", { in: OPEN_STATUSES }],
    ["target_service_name", { in: [...new Set(dropped.map(({ service }) => service))] }],
    ["target_handler_name", { in: [...new Set(dropped.map(({ handler }) => handler))] }],
  ]);
  let after: ListPosition | undefined;
  try {
    for (let page = 0; page < PAGES_MAX; page++) {
      const { invocations, next } = await listInvocations(engine, narrowing, { limit: PAGE, after });
      for (const { id: invocationId, service, handler, deploymentId } of invocations) {
        const open = found.get(keyOf(service, handler));
        // An invocation that is pinned to another deployment goes on there.
        if (open === undefined || (deploymentId !== undefined && deploymentId !== id)) continue;
        open.count++;
        if (open.ids.length < IDS_SHOWN_MAX) open.ids.push(invocationId);
      }
      if (next === undefined) return { found, isAtLeast: false };
      after = next;
    }
  } catch {
    // More invocations are open than a list may read: the warning has those found so far.
  }
  return { found, isAtLeast: true };
}

function emptyCount(): OpenOfHandler {
  return { count: 0, ids: [] };
}

/** A service name contains no slash. */
function keyOf(service: string, handler: string): string {
  return `${service}/${handler}`;
}
