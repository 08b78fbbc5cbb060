/** A local process with a real deployment behind it, and the reference's command line as a child process. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { AnyService } from "./tour-services.ts";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { fetch, knowAdmin, tokenAt } from "../harness/local/admin-access.ts";

const PACKAGES = join(import.meta.dirname, "node_modules");
const COMMAND = join(PACKAGES, "@restatedev/restate-linux-x64/bin/restate");
/** The newest dependency of test/compat. If it is missing, the packages were installed from an older package.json. */
const CHARTS = join(PACKAGES, "vega-lite");
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

export interface Told {
  readonly code: number;
  /** Both outputs, without colours. */
  readonly text: string;
}

export interface World {
  readonly adminUrl: string;
  readonly ingressUrl: string;
  readonly deploymentUrl: string;
  restate(...args: string[]): Promise<Told>;
  query(statement: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Installs the packages of this folder if they are missing. */
export function requireCommand(): void {
  if (existsSync(COMMAND) && existsSync(CHARTS)) return;
  const { status } = spawnSync("npm", ["ci"], { cwd: import.meta.dirname, stdio: ["ignore", 2, 2] });
  if (status !== 0 || !existsSync(COMMAND)) throw new Error("the packages of test/compat could not be installed");
}

export async function openWorld(services: AnyService[]): Promise<World> {
  requireCommand();
  const dir = await mkdtemp(join(tmpdir(), "stepwell-cli-tour-"));
  const flags = { "data-dir": join(dir, "data"), "ingress.port": "0", "admin.port": "0", "log.level": "error" };
  const { settings } = readSettings({ environment: {}, flags });
  const local = await startLocalProcess(
    settings,
    "0.0.0",
    processLog(settings, () => {}),
  );
  knowAdmin(local.adminUrl, local.adminToken);
  const deployment = createServer(createEndpointHandler({ services, logger: () => {} }));
  await new Promise<void>((resolve) => deployment.listen(0, "127.0.0.1", resolve));
  const { port } = deployment.address() as AddressInfo;
  return {
    adminUrl: local.adminUrl,
    ingressUrl: local.ingressUrl,
    deploymentUrl: `http://127.0.0.1:${port}/`,
    restate: (...args) => runRestate(local.adminUrl, args, dir),
    query: async (statement) => {
      const response = await fetch(`${local.adminUrl}query`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ query: statement }),
      });
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as { rows: Record<string, unknown>[] }).rows;
    },
    async stop() {
      await local.stop();
      deployment.closeAllConnections();
      deployment.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** @param home the home directory of the command */
export function runRestate(adminUrl: string, args: readonly string[], home: string = tmpdir()): Promise<Told> {
  // The user's environment is left out: a profile or a token in it would change the output.
  const PATH = process.env["PATH"] ?? "";
  const token = tokenAt(adminUrl);
  const access = { RESTATE_ADMIN_URL: adminUrl, ...(token !== undefined && { RESTATE_AUTH_TOKEN: token }) };
  const env = { HOME: home, PATH, ...access, CI: "1", DO_NOT_TRACK: "1" };
  return new Promise((resolve) => {
    execFile(COMMAND, args, { env, timeout: SEEN_WITHIN_MS }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, text: `${stdout}${stderr}`.replaceAll(ESCAPES, "") });
    });
  });
}
