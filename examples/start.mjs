/** Builds and starts the control plane and the example deployment, prints how to call them, and stops both on a signal. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const INGRESS_PORT = 8080;
const ADMIN_PORT = 9070;
const DEPLOYMENT_PORT = 9080;
const READY_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 50;
const STOP_WITHIN_MS = 10_000;

const COMMAND = "dist/stepwell.js";
const DEPLOYMENT = "dist/examples/greeter.js";
const SERVICES = ["greeter", "postOffice"];

const JSON_HEADER = "-H 'content-type: application/json'";
const INVITATION = `
Ready. The control plane answers on ${INGRESS_PORT} (calls) and ${ADMIN_PORT} (administration); its data is in .stepwell.
See what happens: http://localhost:${ADMIN_PORT}/ui/
Try, in another terminal:

  Call a handler:
    curl localhost:${INGRESS_PORT}/greeter/greet ${JSON_HEADER} -d '"Ada"'

  Call it as often as you like under one idempotency key; it runs once, and the answer stays:
    curl localhost:${INGRESS_PORT}/greeter/greet ${JSON_HEADER} -H 'idempotency-key: ada-1' -d '"Ada"'

  Send yourself a reminder, stop everything with Ctrl-C, start again: it still comes, and on time:
    curl localhost:${INGRESS_PORT}/greeter/remind/send ${JSON_HEADER} -d '{"name":"Ada","about":"the tea","seconds":20}'

Ctrl-C stops both.
`;

/** A failure that the user can correct; the script prints its message without a stack. */
class StartError extends Error {}

/** The child processes in the order of their start, each with a promise that settles when it exits. */
const children = [];
let stopping = false;

function build() {
  const { status } = spawnSync(process.execPath, ["build.mjs"], { stdio: "inherit" });
  if (status !== 0) throw new StartError("The build failed for the reasons above.");
  for (const built of [COMMAND, DEPLOYMENT]) {
    if (!existsSync(built)) throw new StartError(`The build left no ${built}.`);
  }
}

async function requirePortFree(port, owner) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((cause) => {
    throw new StartError(
      `Port ${port}, meant for ${owner}, cannot be used (${cause.code}). Stop what listens there, then try again.`,
    );
  });
  server.close();
  await once(server, "close");
}

/** The child runs in its own process group. Ctrl-C therefore reaches only this process, which stops its children in order. */
function start(name, args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
  const ended = once(child, "exit").then(([code, signal]) => {
    if (!stopping) throw new StartError(`The ${name} ended by itself (${signal ?? `exit code ${code}`}).`);
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

async function isRegistered() {
  const response = await fetch(`http://127.0.0.1:${ADMIN_PORT}/services`);
  const { services } = await response.json();
  return SERVICES.every((name) => services.some((service) => service.name === name));
}

async function run() {
  build();
  await requirePortFree(INGRESS_PORT, "calls");
  await requirePortFree(ADMIN_PORT, "administration");
  await requirePortFree(DEPLOYMENT_PORT, "the example deployment");

  const deployment = start("example deployment", ["--import", "./examples/polyfill.mjs", DEPLOYMENT]);
  await until(`the example deployment listens on ${DEPLOYMENT_PORT}`, () => listens(DEPLOYMENT_PORT));
  if (stopping) return;

  const address = `http://127.0.0.1:${DEPLOYMENT_PORT}`;
  const controlPlane = start("control plane", [COMMAND, "dev", "--data-dir", ".stepwell", "--register", address]);
  await until("the ingress is healthy", () => isHealthy(INGRESS_PORT, "/restate/health"));
  await until("the admin API is healthy", () => isHealthy(ADMIN_PORT, "/health"));
  await until(`the services ${SERVICES.join(" and ")} are registered`, isRegistered);

  if (!stopping) console.log(INVITATION);
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
