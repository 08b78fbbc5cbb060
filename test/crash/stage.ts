/** Opens and closes the stage of a test: a control plane and a deployment, which share a new directory and ports, and a client. */
import { rm } from "node:fs/promises";
import { Yardstick } from "../harness/machine/yardstick.ts";
import { Client } from "./client.ts";
import { prepareSite, type Programs, type Site } from "./programs.ts";
import { controlPlaneOf, deploymentOf, type Victim } from "./victim.ts";

export interface Stage {
  readonly site: Site;
  readonly controlPlane: Victim;
  readonly deployment: Victim;
  readonly client: Client;
  readonly yardstick: Yardstick;
}

/**
 * Resolves when both processes answer.
 * @param patienceMs the client's time for all its requests
 */
export async function openStage(patienceMs: number, programs?: Programs): Promise<Stage> {
  const site = await prepareSite(programs);
  const [controlPlane, deployment] = [controlPlaneOf(site), deploymentOf(site)];
  for (const victim of [deployment, controlPlane]) victim.start();
  const [yardstick] = await Promise.all([Yardstick.start(), deployment.ready(), controlPlane.ready()]);
  return { site, controlPlane, deployment, client: new Client(site, Date.now() + patienceMs), yardstick };
}

/** @param keep whether data, ledger and logs stay for the analysis of a failure */
export async function closeStage({ site, controlPlane, deployment, yardstick }: Stage, keep: boolean): Promise<void> {
  await Promise.all([controlPlane.end("SIGKILL"), deployment.end("SIGKILL"), yardstick.end()]);
  if (keep) console.error(`Data, ledger and logs stay in ${site.dir}.`);
  else await rm(site.dir, { recursive: true });
}
