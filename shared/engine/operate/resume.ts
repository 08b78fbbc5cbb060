/**
 * Resumes an invocation: it is attempted now, even if paused, suspended or backing off. If no attempt has begun, it waits for
 * its start or its key again. `resume` can also move the invocation to another deployment.
 */
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import type { Move } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { negotiate } from "../../core/protocol/version.ts";
import type { Engine } from "../engine.ts";
import { giveOrder, isToPause } from "./orders.ts";
import { knownNow } from "./known-now.ts";
import { hasExpired } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import { spokenRange } from "../ports/protocol-range.ts";
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
  const isUnderWay = status === "running" || status === "ready";
  // An attempt would go on where it began; an order to pause makes the next attempt read this order first.
  if (choice.kind !== "keep" && isUnderWay && !isToPause(loaded)) return "not-movable";
  const chosen = await deploymentFor(engine, invocation, choice);
  if (chosen !== undefined && "kind" in chosen) return chosen;
  // A running or ready invocation needs an order only if its last fresh order is a pause. Otherwise a wake is enough.
  if (isUnderWay && !isToPause(loaded)) await wakeNow(engine, invocation.acceptance);
  else {
    const move = chosen && moveOf(engine, invocation, chosen, choice);
    await giveOrder(engine, loaded, { kind: "resume", ...(move && { move }) }, by);
  }
  return "done";
}

/**
 * @returns undefined if the next attempt finds the deployment without an order: the invocation is there already, or has not begun
 *   and is to begin on the deployment that is the latest then
 */
function moveOf(
  engine: Engine,
  { pin, attempts }: Invocation,
  chosen: Deployment,
  choice: DeploymentChoice,
): Move | undefined {
  if (chosen.id === pin?.deploymentId) return undefined;
  if (pin === undefined && attempts === 0 && choice.kind === "latest") return undefined;
  const { minProtocolVersion: min, maxProtocolVersion: max } = chosen;
  const protocolVersion = negotiate({ min, max }, spokenRange(engine.settings));
  return { deploymentId: chosen.id, ...(protocolVersion !== undefined && { protocolVersion }) };
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
  const { id, minProtocolVersion: min, maxProtocolVersion: max } = deployment;
  if (pin === undefined) {
    const isSpoken = negotiate({ min, max }, spokenRange(engine.settings)) !== undefined;
    return isSpoken ? deployment : { kind: "no-version", deploymentId: id, min, max };
  }
  const { protocolVersion: version } = pin;
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
