/** Starts each compared server on an empty directory, and registers the deployment. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { REFERENCE_SERVER } from "./ground.mjs";
import { freePorts, startProcess, stopProcess, untilReady } from "./running-process.mjs";

/** The bound is long, because a restarted server first reads all that it has stored and only then answers. */
const RESTARTED_WITHIN_MS = 300_000;
const RESTART_POLL_EVERY_MS = 5;

/** @typedef {{ name: string, command: (place: Place) => { command: string, args: string[], env?: object } }} Contestant */
/** @typedef {{ dir: string, ingressPort: number, adminPort: number, nodePort: number }} Place */

/**
 * @param build the path of a `stepwell.js`
 * @returns {Contestant}
 */
export function stepwell(name, build) {
  return {
    name,
    command: ({ dir, ingressPort, adminPort }) => ({
      command: process.execPath,
      args: [build, "dev", "--data-dir", join(dir, "data"), ...portFlags(ingressPort, adminPort)],
    }),
  };
}

function portFlags(ingressPort, adminPort) {
  return ["--ingress-port", String(ingressPort), "--admin-port", String(adminPort)];
}

/** @type {Contestant} The reference with default settings, without telemetry, on the same disk and on the loopback only. */
export const REFERENCE = {
  name: "theirs",
  command: ({ dir, ingressPort, adminPort, nodePort }) => ({
    command: REFERENCE_SERVER,
    args: ["--node-name", "n1"],
    env: {
      RESTATE_BASE_DIR: join(dir, "data"),
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
      RESTATE_DISABLE_TELEMETRY: "1",
      DO_NOT_TRACK: "1",
    },
  }),
};

/**
 * Starts the server on an empty directory below `parent` and registers the deployment.
 * @returns what `startServer` returns
 */
export async function startContestant(contestant, parent, deploymentUrl) {
  const started = await startServer(contestant, parent);
  try {
    await register(started, deploymentUrl);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return started;
}

/**
 * Starts the server on an empty directory below `parent`.
 * @returns its process, its addresses, `restart`, and `stop`, which also removes the directory
 */
export async function startServer(contestant, parent) {
  const dir = await mkdtemp(join(parent, `${contestant.name}-`));
  const [ingressPort, adminPort, nodePort] = await freePorts(3);
  const { command, args, env } = contestant.command({ dir, ingressPort, adminPort, nodePort });
  const logFile = join(dir, "output.log");
  const launch = () => startProcess(command, args, { cwd: dir, logFile, env: { ...process.env, ...env } });
  let running = launch();
  const stop = async () => {
    await stopProcess(running);
    await rm(dir, { recursive: true, force: true });
  };
  const ingressUrl = `http://127.0.0.1:${ingressPort}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  try {
    await untilReady(running, contestant.name, async () => (await fetch(`${ingressUrl}/restate/health`)).ok);
    await untilReady(running, contestant.name, async () => (await fetch(`${adminUrl}/health`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  /** Ends the process and starts it again on its directory. @returns the ms from this start until the probe succeeds */
  const restart = async (probe) => {
    await stopProcess(running);
    const startedAtMs = performance.now();
    running = launch();
    started.pid = running.pid;
    await untilReady(running, contestant.name, probe, RESTARTED_WITHIN_MS, RESTART_POLL_EVERY_MS);
    return performance.now() - startedAtMs;
  };
  const dataDir = join(dir, "data");
  const started = { pid: running.pid, ingressUrl, adminUrl, access: accessIn(dataDir), dataDir, restart, stop };
  return started;
}

/** The headers of requests to the admin API; the reference wants none. */
function accessIn(dataDir) {
  const path = join(dataDir, "admin-token");
  return existsSync(path) ? { authorization: `Bearer ${readFileSync(path, "utf8").trim()}` } : {};
}

async function register({ adminUrl, access }, uri) {
  const response = await fetch(`${adminUrl}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json", ...access },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(`the deployment was not registered: ${response.status} ${await response.text()}`);
}
