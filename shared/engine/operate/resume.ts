/**
 * Resumes an invocation: it is attempted now, even if paused, suspended or backing off. If no attempt has begun, it waits for
 * its start or its key again. `resume` can also move the invocation to another deployment.
 */
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import { giveOrder, isToPause } from "./give-order.ts";
import { knownNow } from "./known-now.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { loadHeads } from "../store/operator-loads.ts";
import type { DeploymentChoice, Resumption, UnfitDeployment } from "../ports/submission.ts";
import { wakeNow } from "../messaging/wake.ts";

/** @param by the operator, if one was authenticated */
export async function resume(
  engine: Engine,
  id: InvocationId,
  choice: DeploymentChoice,
  by?: string,
): Promise<Resumption> {
  const loaded = await loadHeads(engine, id);
  if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return "unknown";
  const invocation = knownNow(engine, loaded);
  const { status } = invocation.phase;
  switch (status) {
    case "completed":
      return "completed";
    case "scheduled":
    case "pending":
      // An order to pause that no driver has obeyed yet can be revoked.
      if (!isToPause(loaded)) return "not-begun";
      break;
    case "ready":
    case "running":
    case "backing-off":
    case "suspended":
    case "paused":
      break;
  }
  if (choice.kind !== "keep" && !isMovable(invocation, loaded)) return "not-movable";
  const chosen = await deploymentFor(engine, invocation, choice);
  if (chosen !== undefined && "kind" in chosen) return chosen;
  const isMoved = chosen !== undefined && chosen.id !== invocation.pin?.deploymentId;
  const isUnderWay = status === "running" || status === "ready";
  // A running or ready invocation needs an order only if its last fresh order is a pause. Otherwise a wake is enough.
  if (isUnderWay && !isToPause(loaded)) await wakeNow(engine, invocation.acceptance);
  else await giveOrder(engine, loaded, { kind: "resume", ...(isMoved && { deploymentId: chosen.id }) }, by);
  return "done";
}

/**
 * True if a stored entry has set the deployment, and no attempt can begin before a driver reads the order to resume. That is so
 * for a suspended or paused invocation, and for one whose last fresh order is a pause: its driver reads the order to resume
 * together with that pause, or later.
 */
function isMovable({ phase: { status }, pin }: Invocation, loaded: Loaded): boolean {
  if (pin === undefined) return false;
  return status === "suspended" || status === "paused" || isToPause(loaded);
}

/**
 * @returns undefined if the choice keeps the deployment. The chosen deployment need not offer the service yet. Until it
 *   does, attempts fail with RT0011
 */
export async function deploymentFor(
  engine: Engine,
  { pin, acceptance }: Invocation,
  choice: DeploymentChoice,
): Promise<Deployment | UnfitDeployment | undefined> {
  if (choice.kind === "keep") return undefined;
  const deployment =
    choice.kind === "latest"
      ? await latestOf(engine, acceptance.target.service)
      : await registered(engine, choice.deploymentId);
  if (deployment === undefined) {
    const { service } = acceptance.target;
    return { kind: "unknown-deployment", asked: choice.kind === "latest" ? service : choice.deploymentId };
  }
  if (pin === undefined) return deployment;
  const { protocolVersion: version } = pin;
  const { id, minProtocolVersion: min, maxProtocolVersion: max } = deployment;
  return version >= min && version <= max ? deployment : { kind: "wrong-version", deploymentId: id, version, min, max };
}

async function latestOf({ registry }: Engine, name: string): Promise<Deployment | undefined> {
  registry.refresh();
  return (await registry.services()).find(({ service }) => service.name === name)?.deployment;
}

async function registered({ registry }: Engine, id: DeploymentId): Promise<Deployment | undefined> {
  registry.refresh();
  return (await registry.deployments()).find((deployment) => deployment.id === id);
}
