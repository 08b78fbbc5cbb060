/** Changes the deployments of the registry: reads them, decides, writes, and begins again if another change came first. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { Engine } from "../engine.ts";
import { type ChangeGround, changeInTurn } from "./change-in-turn.ts";
import {
  DEPLOYMENT_MAX_BYTES,
  deleteDeployment,
  deploymentBytes,
  readRegistry,
  registryPk,
  writeDeployment,
} from "./registry-items.ts";

export type RegistryChange =
  | { readonly kind: "write" | "delete"; readonly deployment: Deployment }
  /** `nothing`: a dry run, or a deployment that announces nothing new. `gone`: the deployment does not exist any more. */
  | { readonly kind: "nothing" | "gone"; readonly deployment: Deployment };

/**
 * @param decide called again with the current registry after each refused write; its errors pass through
 * @throws CodedError META0005 if every write was refused, META0013 if the deployment is too large to be stored
 */
export async function changeRegistry<Change extends RegistryChange>(
  engine: ChangeGround & Pick<Engine, "registry">,
  decide: (existing: readonly Deployment[]) => Change,
): Promise<Change> {
  const { meta, settings, registry } = engine;
  return await changeInTurn(engine, registryPk(settings.keyPrefix), async () => {
    const { version, deployments } = await readRegistry(meta, settings.keyPrefix);
    const change = decide(deployments);
    const { kind, deployment } = change;
    if (kind === "nothing" || kind === "gone") return change;
    if (kind === "write") assertStorable(deployment);
    const written =
      kind === "write"
        ? await writeDeployment(meta, settings.keyPrefix, deployment, version)
        : await deleteDeployment(meta, settings.keyPrefix, deployment.id, version);
    if (!written) return undefined;
    registry.refresh();
    return change;
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

/** The text for the log: it never contains the headers of a deployment, which may contain secrets. */
export function servicesText({ services }: Deployment): string {
  return services.map(({ name, revision }) => `${name}@${revision}`).join(",");
}
