/** The stage of each attack: a server, a healthy neighbour, an attacker and a yardstick, each a process that the stage starts and stops. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { Yardstick } from "../harness/machine/yardstick.ts";
import { Neighbour } from "./neighbour.ts";
import { FIXTURES, ServerProcess } from "./server-process.ts";
import { ReportingProcess } from "./reporting-process.ts";
import { fetch } from "../harness/local/admin-access.ts";

declare module "vitest" {
  export interface ProvidedContext {
    workshop: { readonly dir: string; readonly command: string; readonly rowsPath: string };
  }
}

export interface Stage {
  readonly server: ServerProcess;
  readonly neighbour: Neighbour;
  readonly attacker: ReportingProcess;
  readonly yardstick: Yardstick;
  close(): Promise<void>;
}

/** Resolves when the server answers, both deployments are registered, and the neighbour is warm. */
export async function openStage(attack: string): Promise<Stage> {
  const workshop = inject("workshop");
  const dir = await mkdtemp(join(workshop.dir, `${attack}-`));
  const server = await ServerProcess.on(dir, workshop.command);
  const [deployment, attacker, yardstick] = await Promise.all([
    ReportingProcess.start(join(workshop.dir, "neighbour-deployment.js")),
    ReportingProcess.start(join(workshop.dir, "attacker.js"), attack, FIXTURES),
    Yardstick.start(),
    server.start(),
  ]);
  const neighbour = new Neighbour(server.site, deployment);
  for (const { registration } of [deployment, attacker]) await register(server.site.adminUri, registration);
  for (let warmUps = 0; warmUps < 3; warmUps++) await Promise.all([neighbour.plain(), neighbour.note()]);
  return {
    server,
    neighbour,
    attacker,
    yardstick,
    async close() {
      await Promise.all([server.kill(), deployment.end(), attacker.end(), yardstick.end()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function register(adminUri: string, registration: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(registration) };
  const response = await fetch(`${adminUri}/deployments`, init);
  if (!response.ok) throw new Error(`the deployment was refused: ${await response.text()}`);
}
