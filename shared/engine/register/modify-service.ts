/** Changes the settings of a service; the changes last until an operator registers the service again. */
import type { HandlerSettings } from "../../core/model/service.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";
import type { LatestRevision } from "../../core/registry/latest-revisions.ts";
import { changeRegistry } from "./change-registry.ts";
import type { Engine } from "../engine.ts";
import { readRegistry } from "./registry-items.ts";

/** The settings that an operator may change; an absent member stays as it is. Durations are in milliseconds. */
export type ServiceChanges = Pick<
  HandlerSettings,
  | "private"
  | "idempotencyRetentionMs"
  | "workflowRetentionMs"
  | "journalRetentionMs"
  | "inactivityTimeoutMs"
  | "abortTimeoutMs"
>;

/** Only a workflow has a retention for the result of its run. */
export class NoWorkflowError extends Error {
  override name = "NoWorkflowError";
}

/**
 * Changes the latest revision of the service. The handlers' own settings still take precedence.
 * @returns undefined if there is no such service
 * @throws the errors of `changeRegistry`; NoWorkflowError
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
  engine.log.write("service.changed", { service: name, settings: Object.keys(changes).join(",") });
  return { deployment, service: deployment.services.find((service) => service.name === name)! };
}

function withSettings({ deployment, service }: LatestRevision, changes: ServiceChanges): LatestRevision["deployment"] {
  if (changes.workflowRetentionMs !== undefined && service.type !== "workflow") {
    throw new NoWorkflowError(`'${service.name}' is no workflow`);
  }
  const announcedSettings = service.announcedSettings ?? service.settings;
  const changed = { ...service, settings: { ...service.settings, ...changes }, announcedSettings };
  return {
    ...deployment,
    services: deployment.services.map((one) => (one.name === service.name ? changed : one)),
  };
}
