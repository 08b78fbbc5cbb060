/** One change of the registry: read it, decide, write, and begin again where another change came first. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { Engine } from "../engine.ts";
import {
  DEPLOYMENT_MAX_BYTES,
  deleteDeployment,
  deploymentBytes,
  readRegistry,
  writeDeployment,
} from "./registry-items.ts";

/** Changes are rare; who loses so often meets something else than another change. */
const TRIES = 10;

export type RegistryChange =
  | { readonly kind: "write" | "delete"; readonly deployment: Deployment }
  /** `nothing`: only tried. `gone`: what was to be changed is not there any more. */
  | { readonly kind: "nothing" | "gone"; readonly deployment: Deployment };

/**
 * @param decide may be asked again, with what stands then; what it throws passes through
 * @throws CodedError META0005 where the change cannot be brought in, META0013 where the deployment is too large to be kept
 */
export async function changeRegistry<Change extends RegistryChange>(
  { meta, settings, registry }: Pick<Engine, "meta" | "settings" | "registry">,
  decide: (existing: readonly Deployment[]) => Change,
): Promise<Change> {
  for (let tried = 0; tried < TRIES; tried++) {
    const { version, deployments } = await readRegistry(meta, settings.keyPrefix);
    const change = decide(deployments);
    const { kind, deployment } = change;
    if (kind === "nothing" || kind === "gone") return change;
    if (kind === "write") assertStorable(deployment);
    const written =
      kind === "write"
        ? await writeDeployment(meta, settings.keyPrefix, deployment, version)
        : await deleteDeployment(meta, settings.keyPrefix, deployment.id, version);
    if (!written) continue;
    registry.refresh();
    return change;
  }
  throw new CodedError("META0005", `the registry changed ${TRIES} times before this change could be written`);
}

function assertStorable(deployment: Deployment): void {
  const size = deploymentBytes(deployment);
  if (size <= DEPLOYMENT_MAX_BYTES) return;
  throw new CodedError(
    "META0013",
    `the manifest takes ${size} bytes and at most ${DEPLOYMENT_MAX_BYTES} can be kept; split the deployment or shorten its JSON schemas`,
  );
}

/** What the log tells of a deployment: never its headers, which may hold secrets. */
export function servicesText({ services }: Deployment): string {
  return services.map(({ name, revision }) => `${name}@${revision}`).join(",");
}
