/**
 * Builds and runs the control plane and the example deployment, and builds and starts both again after each save of a source or of
 * the web UI. The data stay. A build that fails leaves the running processes alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { context } from "esbuild";
import { freePorts, helpOf, optionsOf, StartError } from "./examples/start-options.mjs";
import { buildTexts } from "./infra/build/built-in-texts.mjs";

const COMMAND = {
  line: "npm run dev",
  does: "Runs the control plane and the example's handlers, and builds and starts them again after each save.",
  dataDir: ".stepwell-dev/data",
  flags: { inspect: "the control plane listens for a debugger, on port 9229" },
};
/** Not in `dist`, so that `npm start` and `npm run dev` do not take each other's files away. */
const PROGRAM = ".stepwell-dev/program";
/** Sets the web UI and the program of statements as globals: a build of the product has them as texts instead. */
const TEXTS = `${PROGRAM}/texts.mjs`;
const WATCHED = ["shared", "functions", "ui", "examples/greeter"];
const SOURCE = /\.(tsx?|css|svg|html|toml)$/;
/** An editor or git writes several files at once. */
const QUIET_MS = 30;
const POLL_EVERY_MS = 20;
const STOP_WITHIN_MS = 5_000;
const LOOPBACK = "127.0.0.1";
/** A restart waits for no handler, and open pages of the web UI stay signed in. The variables of the user come first. */
const SETTINGS = { STEPWELL_SHUTDOWN_TIMEOUT: "100ms", STEPWELL_ADMIN__AUTH: "off" };

let stopping = false;
/** The processes of the last build that succeeded. */
let running = [];

/** Watches each folder by itself: a save that replaces the file, as many editors do it, is an event of the folder, too. */
class Saves {
  #watchers = new Map();
  #saved = new Set();
  #wake = () => undefined;

  /** Whether something was saved since the last `next`. */
  get hasNew() {
    return this.#saved.size > 0;
  }

  /** Watches all folders, also those that are new since the last call. */
  watch() {
    for (const top of WATCHED) {
      const entries = readdirSync(top, { withFileTypes: true, recursive: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
      for (const path of [top, ...folders]) if (!this.#watchers.has(path)) this.#watchFolder(path);
    }
  }

  /** Resolves with the paths that were saved since the last call, once there is one and no other has followed for a moment. */
  async next() {
    if (!this.hasNew) await new Promise((resolve) => (this.#wake = resolve));
    for (let before = -1; before !== this.#saved.size; await sleep(QUIET_MS)) before = this.#saved.size;
    const saved = [...this.#saved];
    this.#saved.clear();
    return saved;
  }

  /** Ends the wait of `next`. */
  stop() {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#wake();
  }

  #watchFolder(path) {
    const watcher = watch(path, (_, name) => {
      if (!SOURCE.test(name ?? "")) return;
      this.#saved.add(join(path, name));
      this.#wake();
    });
    // The folder was removed.
    watcher.on("error", () => watcher.close());
    watcher.on("close", () => this.#watchers.delete(path));
    this.#watchers.set(path, watcher);
  }
}

/** Builds into `PROGRAM`, and again only what the saved files are part of. */
class Builder {
  #program;
  #textInputs;

  /**
   * @param saved the paths that changed since the last call
   * @returns whether the build succeeded; esbuild has printed the errors
   */
  async build(saved) {
    this.#program ??= await context({
      entryPoints: { stepwell: "functions/cli/stepwell.ts", greeter: "examples/greeter/greeter.ts" },
      outdir: PROGRAM,
      bundle: true,
      platform: "node",
      target: "node20.19",
      format: "esm",
      packages: "external",
      sourcemap: true,
      logLevel: "warning",
    });
    const built = await Promise.allSettled([this.#program.rebuild(), this.#buildTexts(saved)]);
    return built.every(({ status }) => status === "fulfilled");
  }

  async #buildTexts(saved) {
    const isPart = (path) => path.startsWith("ui/") || path in this.#textInputs;
    if (this.#textInputs !== undefined && !saved.some(isPart)) return;
    this.#textInputs = undefined;
    const { define, inputs } = await buildTexts();
    const lines = Object.entries(define).map(([name, text]) => `globalThis.${name} = ${text};\n`);
    writeFileSync(TEXTS, lines.join(""));
    this.#textInputs = inputs;
  }

  async close() {
    await this.#program?.dispose();
  }
}

/** The child runs in its own process group. Ctrl-C therefore reaches only this process, which stops its children in order. */
function start(name, args, env) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached: true, env });
  const one = { child, isStopped: false };
  one.ended = once(child, "exit").then(([code, signal]) => {
    if (!one.isStopped)
      console.error(
        `\nThe ${name} ended by itself (${signal ?? `exit code ${code}`}). It starts again after the next save.`,
      );
  });
  return one;
}

function startAll({ ports, dataDir, flags }) {
  const [ingress, admin, handlers] = [ports["ingress-port"], ports["admin-port"], ports["handlers-port"]].map(String);
  const deployment = ["--import", "./examples/polyfill.mjs", `${PROGRAM}/greeter.js`];
  const debugged = flags.includes("inspect") ? [`--inspect=${LOOPBACK}:9229`] : [];
  const own = ["--ingress-port", ingress, "--admin-port", admin, "--data-dir", dataDir];
  const register = ["--register", `http://${LOOPBACK}:${handlers}`];
  const node = ["--enable-source-maps", "--import", `./${TEXTS}`, ...debugged];
  const program = [...node, `${PROGRAM}/stepwell.js`, "dev", ...own, ...register];
  return [
    start("control plane", program, { ...SETTINGS, ...process.env }),
    start("example deployment", deployment, { ...process.env, PORT: handlers }),
  ];
}

async function stopAll() {
  for (const one of running) {
    one.isStopped = true;
    one.child.kill("SIGTERM");
  }
  const late = setTimeout(() => running.forEach(({ child }) => child.kill("SIGKILL")), STOP_WITHIN_MS);
  await Promise.all(running.map(({ ended }) => ended));
  clearTimeout(late);
  running = [];
}

/** @returns whether the ingress answers; false once the control plane has ended, or something was saved meanwhile */
async function isReady(port, saves) {
  const [{ child }] = running;
  while (child.exitCode === null && child.signalCode === null && !stopping && !saves.hasNew) {
    const answer = await fetch(`http://${LOOPBACK}:${port}/restate/health`).catch(() => undefined);
    if (answer?.ok) return true;
    await sleep(POLL_EVERY_MS);
  }
  return false;
}

async function run() {
  const options = optionsOf(process.argv.slice(2), COMMAND);
  if (options === undefined) return console.log(helpOf(COMMAND));
  const ports = await freePorts(options.ports, COMMAND);
  rmSync(PROGRAM, { recursive: true, force: true });
  mkdirSync(PROGRAM, { recursive: true });
  const [saves, builder] = [new Saves(), new Builder()];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      stopping = true;
      saves.stop();
    });
  }
  for (let saved = []; !stopping; saved = await saves.next()) {
    const beganMs = performance.now();
    saves.watch();
    if (!(await builder.build(saved))) {
      const rest = running.length === 0 ? "Nothing runs yet." : "The processes of the build before go on.";
      console.error(`\nThe build failed for the reasons above. ${rest} The next save builds again.`);
      continue;
    }
    await stopAll();
    if (stopping) break;
    running = startAll({ ...options, ports });
    if (await isReady(ports["ingress-port"], saves)) console.log(readyText(saved, ports, performance.now() - beganMs));
  }
  await builder.close();
}

function readyText(saved, ports, tookMs) {
  const what = saved.length === 0 ? "Started" : `Saved ${saved.join(", ")}`;
  return `
${what}: ready after ${(tookMs / 1000).toFixed(1)} s. The web UI: http://localhost:${ports["admin-port"]}/ui/
  curl localhost:${ports["ingress-port"]}/greeter/greet -H 'content-type: application/json' -d '"Ada"'
`;
}

process.chdir(import.meta.dirname);
try {
  await run();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  await stopAll();
}
