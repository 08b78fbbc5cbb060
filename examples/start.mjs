/** Builds and starts the control plane and the example deployment, prints how to call them, and stops both on a signal. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts, helpOf, optionsOf, openUi, startAgain, StartError } from "./start-options.mjs";

const READY_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 50;
const STOP_WITHIN_MS = 10_000;

const COMMAND = {
  line: "npm start",
  does: "Builds, and runs the control plane and the example's handlers until Ctrl-C.",
  dataDir: ".stepwell",
};
const PROGRAM = "dist/stepwell.js";
const DEPLOYMENT = "dist/examples/greeter.js";
const SERVICES = ["greeter", "postOffice", "kitchen"];

const JSON_HEADER = "-H 'content-type: application/json'";

function invitation({ ingress, admin, dataDir, pids, again, ui }) {
  return `
Ready. The control plane answers on ${ingress} (calls) and ${admin} (administration); its data is in ${dataDir}.
See what happens, in a browser: ${ui}
Try, in another terminal:

  Call a handler:
    curl localhost:${ingress}/greeter/greet ${JSON_HEADER} -d '"Ada"'

  Call it as often as you like under one idempotency key; it runs once, and the answer stays:
    curl localhost:${ingress}/greeter/greet ${JSON_HEADER} -H 'idempotency-key: ada-1' -d '"Ada"'

  Start a breakfast of three dishes, kill all processes after the first one, and start again. No dish is made twice:
    curl localhost:${ingress}/kitchen/breakfast/send ${JSON_HEADER} -d '"Ada"'
    kill -9 ${pids.join(" ")}
    ${again}

Ctrl-C stops both.
`;
}

/** The child processes in the order of their start, each with a promise that settles when it exits. */
const children = [];
let stopping = false;

function build() {
  const { status } = spawnSync(process.execPath, ["build.mjs"], { stdio: "inherit" });
  if (status !== 0) throw new StartError("The build failed for the reasons above.");
  for (const built of [PROGRAM, DEPLOYMENT]) {
    if (!existsSync(built)) throw new StartError(`The build left no ${built}.`);
  }
}

/** The child runs in its own process group. Ctrl-C therefore reaches only this process, which stops its children in order. */
function start(name, args, env = process.env) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached: true, env });
  const ended = once(child, "exit").then(([code, signal]) => {
    if (stopping) return;
    const killed = signal === "SIGKILL" ? " Start again, and what was open goes on." : "";
    throw new StartError(`The ${name} ended by itself (${signal ?? `exit code ${code}`}).${killed}`);
  });
  ended.catch(() => undefined);
  const running = { name, child, ended };
  children.push(running);
  return running;
}

/** Stops the control plane first, so that the deployment still answers while the control plane releases its invocations. */
async function stopAll() {
  stopping = true;
  for (const { child, ended } of children.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await ended.catch(() => undefined);
    clearTimeout(late);
  }
}

/**
 * Repeats the probe until it returns true or the script is stopping.
 * @throws StartError if a child exits first, or after `READY_WITHIN_MS`
 */
async function until(what, probe) {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  const ends = children.map(({ ended }) => ended);
  while (!stopping && !(await Promise.race([probe().catch(() => false), ...ends]))) {
    if (Date.now() > deadlineMs) throw new StartError(`Still not so after ${READY_WITHIN_MS / 1000} s: ${what}.`);
    await sleep(POLL_EVERY_MS);
  }
}

async function listens(port) {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

async function isHealthy(port, path) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.arrayBuffer();
  return response.ok;
}

/** The control plane writes its token to its data directory before it answers. */
async function isRegistered(adminPort, dataDir) {
  const headers = { authorization: `Bearer ${readFileSync(`${dataDir}/admin-token`, "utf8").trim()}` };
  const response = await fetch(`http://127.0.0.1:${adminPort}/services`, { headers });
  const { services } = await response.json();
  return SERVICES.every((name) => services.some((service) => service.name === name));
}

async function run() {
  const options = optionsOf(process.argv.slice(2), COMMAND);
  if (options === undefined) return console.log(helpOf(COMMAND));
  const { dataDir } = options;
  const ports = await freePorts(options.ports, COMMAND);
  const [ingress, admin, handlers] = [ports["ingress-port"], ports["admin-port"], ports["handlers-port"]];
  build();

  const env = { ...process.env, PORT: String(handlers) };
  const deployment = start("example deployment", ["--import", "./examples/polyfill.mjs", DEPLOYMENT], env);
  await until(`the example deployment listens on ${handlers}`, () => listens(handlers));
  if (stopping) return;

  const own = ["--ingress-port", String(ingress), "--admin-port", String(admin), "--data-dir", dataDir];
  const address = `http://127.0.0.1:${handlers}`;
  const controlPlane = start("control plane", [PROGRAM, "dev", ...own, "--register", address]);
  await until("the ingress is healthy", () => isHealthy(ingress, "/restate/health"));
  await until("the admin API is healthy", () => isHealthy(admin, "/health"));
  await until(`the services ${SERVICES.join(", ")} are registered`, () => isRegistered(admin, dataDir));

  const pids = [controlPlane, deployment].map(({ child }) => child.pid);
  const [again, ui] = [startAgain(ports, dataDir, COMMAND), openUi(admin, dataDir)];
  if (!stopping) console.log(invitation({ ingress, admin, dataDir, pids, again, ui }));
  await Promise.race([controlPlane.ended, deployment.ended]);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // A terminal and npm may both pass on the same Ctrl-C, so the same signal may come twice.
  process.on(signal, () => void stopAll());
}

process.chdir(`${import.meta.dirname}/..`);
try {
  await run();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  await stopAll();
}
