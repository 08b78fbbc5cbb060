/** Removes a deployment that no open invocation needs, or by force any deployment. */
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { changeRegistry } from "./change-registry.ts";
import type { Engine } from "../engine.ts";
import { type Needs, neededBy } from "./needed-by.ts";
import { readRegistry } from "./registry-items.ts";

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
