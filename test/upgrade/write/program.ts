/** Starts, awaits and kills the programs of the version that writes a fixture. */
import type { ChildProcess } from "node:child_process";
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type CallFunction, INSTANCES, oneEventAtATime } from "../function-site.ts";
import { httpSite, type Site, until } from "../site.ts";
import { fetch, knowAdminAt } from "../../harness/local/admin-access.ts";

export interface Program {
  kill(): Promise<void>;
}

interface Told {
  readonly number: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/**
 * @param folder the folder of the bundled functions
 * @throws Error if the functions do not start
 */
export async function startFunctions(
  programPath: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Program & { readonly call: CallFunction }> {
  const child = fork(programPath, [folder, JSON.stringify(INSTANCES)], {
    env: environmentWith(environment),
    stdio: "inherit",
  });
  const waiting = new Map<number, (told: Told) => void>();
  child.on("message", (told: Told) => waiting.get(told.number)?.(told));
  await Promise.race([
    new Promise<void>((resolve) => waiting.set(0, () => resolve())),
    once(child, "exit").then(() => {
      throw new Error("the functions ended while they started");
    }),
  ]);
  let last = 0;
  const call = oneEventAtATime(async (name, instance, event) => {
    const number = ++last;
    const told = await new Promise<Told>((resolve) => {
      waiting.set(number, resolve);
      child.send({ number, name, instance, event });
    });
    waiting.delete(number);
    if (told.error !== undefined) throw new Error(told.error);
    return told.answer;
  });
  return { call, kill: () => killed(child) };
}

/** Starts `stepwell dev` on a data directory. */
export async function startLocal(
  commandPath: string,
  dataDir: string,
  environment: Readonly<Record<string, string>>,
): Promise<Program & { readonly site: Site }> {
  const [ingress, admin] = [await freePort(), await freePort()];
  const ports = ["--ingress-port", String(ingress), "--admin-port", String(admin)];
  const args = [commandPath, "dev", "--data-dir", dataDir, ...ports];
  const child = spawn(process.execPath, args, { env: environmentWith(environment), stdio: "inherit" });
  const uris = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  knowAdminAt(uris.admin, dataDir);
  await until("the local process answers", async () => {
    const answer = await fetch(`${uris.admin}/health`).catch(() => undefined);
    return answer?.ok === true;
  });
  return { site: httpSite(uris), kill: () => killed(child) };
}

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Leaves out the `STEPWELL_` variables of this process, which are no settings of the programs. */
function environmentWith(more: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_"));
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...more };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export function functionsProgramPath(root: string): string {
  return join(root, "test/upgrade/write/functions-program.mjs");
}
