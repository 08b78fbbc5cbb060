/** Settings of a service, changed between registrations: they hold until the service is registered again. */
import type { HandlerSettings } from "../../core/model/service.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";
import type { LatestRevision } from "../../core/registry/latest-revisions.ts";
import { changeRegistry } from "./change-registry.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";

/** What a service may be told from outside; a member that is absent stays as it is. Durations in milliseconds. */
export type ServiceChanges = Pick<
  HandlerSettings,
  | "private"
  | "idempotencyRetentionMs"
  | "workflowRetentionMs"
  | "journalRetentionMs"
  | "inactivityTimeoutMs"
  | "abortTimeoutMs"
>;

/** Only a workflow has a result that is kept for its id. */
export class NoWorkflowError extends Error {
  override name = "NoWorkflowError";
}

/**
 * Changes the latest revision of the service. What its handlers set for themselves still wins.
 * @returns undefined where there is no such service
 * @throws what `changeRegistry` throws; NoWorkflowError
 */
export async function modifyService(
  engine: Engine,
  name: string,
  changes: ServiceChanges,
): Promise<LatestRevision | undefined> {
  const { deployments } = await readRegistry(engine.meta, engine.settings.keyPrefix);
  const before = latestRevisions(deployments).get(name);
  if (before === undefined || Object.keys(changes).length === 0) return before;
  const { kind, deployment } = await changeRegistry(engine, (existing) => {
    const latest = latestRevisions(existing).get(name);
    if (latest === undefined) return { kind: "gone", deployment: before.deployment } as const;
    return { kind: "write", deployment: withSettings(latest, changes) } as const;
  });
  if (kind === "gone") return undefined;
  engine.log.info("settings of a service were changed", { service: name, settings: Object.keys(changes).join(",") });
  return { deployment, service: deployment.services.find((service) => service.name === name)! };
}

function withSettings({ deployment, service }: LatestRevision, changes: ServiceChanges): LatestRevision["deployment"] {
  if (changes.workflowRetentionMs !== undefined && service.type !== "workflow") {
    throw new NoWorkflowError(`'${service.name}' is no workflow`);
  }
  const changed = { ...service, settings: { ...service.settings, ...changes } };
  return {
    ...deployment,
    services: deployment.services.map((one) => (one.name === service.name ? changed : one)),
  };
}
