/** Registers a deployment and, if asked, checks it each second, because a restart during development may change its handlers. */
import type { Engine } from "../../shared/engine/engine.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { loggedAddress, registerWhenUp } from "../../shared/engine/register/register-when-up.ts";
import type { RegisteredUp } from "../../shared/engine/register/register-when-up.ts";

/** Each check is one request for the manifest. */
const LOOK_EVERY_MS = 1_000;

const EVENTS = { unchanged: "deployment.unchanged", replaced: "deployment.replaced" } as const;

export interface WatchedDeployment {
  readonly uri: string;
  readonly useHttp11: boolean;
}

/**
 * A failed registration is logged once per reason and stops neither the other registrations nor the process.
 * @param watch whether to check again after the registration
 */
export async function watchDeployment(
  engine: Engine,
  deployment: WatchedDeployment,
  watch: boolean,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const uri = loggedAddress(deployment);
  const onWaiting = (reason: string): void => log.write("registration.delayed", { uri, reason });
  let told: string | undefined;
  let id: string | undefined;
  while (!signal.aborted) {
    try {
      // If an operator removed the deployment, it stays removed.
      if (id !== undefined && !(await isRegistered(engine, id))) return;
      const registered = await registerWhenUp(engine, deployment, onWaiting, signal);
      if (registered !== undefined && !(id !== undefined && registered.kind === "unchanged"))
        tell(log, uri, registered);
      told = undefined;
      id = registered?.deployment.id;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== told) log.write("registration.failed", { uri, error: reason });
      told = reason;
    }
    if (!watch) return;
    await engine.clock.sleep(LOOK_EVERY_MS, signal);
  }
}

async function isRegistered({ registry }: Engine, id: string): Promise<boolean> {
  registry.refresh();
  return (await registry.deployments()).some((one) => one.id === id);
}

function tell(log: Log, uri: string, { kind, deployment }: RegisteredUp): void {
  // The engine has logged a new deployment already.
  if (kind === "created") return;
  const services = deployment.services.map(({ name, revision }) => `${name}@${revision}`).join(",");
  log.write(EVENTS[kind], { uri, deploymentId: deployment.id, services });
}
