/** Makes the first deployment of a registry unreadable. */
import { readRegistry, registryPk } from "../../shared/engine/register/registry-items.ts";
import type { ErrorStage } from "./stage.ts";

export async function damageDeployment(stage: ErrorStage): Promise<void> {
  const { meta, settings, registry } = stage.local.engine;
  const { deployments } = await readRegistry(meta, settings.keyPrefix);
  await meta.put({ pk: registryPk(settings.keyPrefix), sk: `dep#${deployments[0]!.id}`, format: 99 });
  registry.refresh();
}
