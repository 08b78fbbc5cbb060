/**
 * Measures what a call costs a local process: calls a second, bytes on the disk, and memory. It builds, starts control plane and
 * greeter on free ports, and prints a table; `--calls N` and `--clients N` change the load.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { freePorts, optionsOf } from "../../examples/start-options.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** Sleepers of the last shape wake long after the measurement. */
const DAY_S = 86_400;

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "5000" },
    clients: { type: "string", default: "32" },
  },
});
const [calls, clients] = [Number(values.calls), Number(values.clients)];

const SHAPES = [
  { name: "call with a step", path: "greeter/greet", body: () => "Ada" },
  { name: "the same, with a key", path: "greeter/greet", body: () => "Ada", key: (number) => `key-${number}` },
  {
    name: "send that sleeps, and stays open",
    path: "greeter/remind/send",
    body: () => ({ name: "Ada", about: "the tea", seconds: DAY_S }),
  },
];

/** As the start options want it. */
const COMMAND = { line: "npm run bench:capacity", does: "Measures the local process.", dataDir: ".stepwell" };

function bytesOf(folder) {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

function residentMb(pid) {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Math.round(Number(stdout) / 1024);
}

/** Starts a program, and waits for the line of its log that the test accepts. @throws Error if it ends before */
async function started(args, env, isReady) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = [];
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (lines.length < 100) lines.push(line);
        if (isReady(line)) resolve();
      });
    }
    child.once("exit", () => reject(new Error(lines.join("\n"))));
  });
  return child;
}

/** @returns the row of a shape: every call has to succeed */
async function measure({ name, path, body, key }, { url, data, pid }) {
  const before = bytesOf(data);
  const startedMs = performance.now();
  let next = 0;
  const client = async () => {
    while (next < calls) {
      const number = next++;
      const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key(number) }) };
      const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body()) });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perS = Math.round((calls * 1000) / (performance.now() - startedMs));
  const bytes = Math.round((bytesOf(data) - before) / calls);
  return `| ${name} | ${perS.toLocaleString("en-US")} | ${bytes.toLocaleString("en-US")} | ${residentMb(pid)} MB |`;
}

async function run() {
  const { status } = spawnSync(process.execPath, ["build.mjs"], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed.");
  const zeros = ["ingress", "admin", "handlers"].flatMap((port) => [`--${port}-port`, "0"]);
  const ports = await freePorts(optionsOf(zeros, COMMAND).ports, COMMAND);
  const data = mkdtempSync(join(tmpdir(), "stepwell-capacity-"));
  const children = [];
  try {
    const deployment = ["--import", "./examples/polyfill.mjs", "dist/examples/greeter.js"];
    const env = { PORT: String(ports["handlers-port"]), RESTATE_LOGGING: "ERROR" };
    const handlers = spawn(process.execPath, deployment, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
    children.push(handlers);
    const own = ["--ingress-port", ports["ingress-port"], "--admin-port", ports["admin-port"], "--data-dir", data].map(
      String,
    );
    const address = `http://127.0.0.1:${ports["handlers-port"]}`;
    const args = ["dist/stepwell.js", "dev", "--json", ...own, "--register", address];
    const control = await started(args, {}, (line) => line.includes('"event":"deployment.registered"'));
    children.push(control);
    const at = { url: `http://127.0.0.1:${ports["ingress-port"]}/`, data, pid: control.pid };
    const rows = [];
    for (const shape of SHAPES) rows.push(await measure(shape, at));
    return rows;
  } finally {
    for (const child of children) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    rmSync(data, { recursive: true, force: true });
  }
}

const rows = await run();
const machine = `${cpus().length} processors (${cpus()[0].model}), ${Math.round(totalmem() / 1e9)} GB, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
console.log(`Measured on ${machine}: ${calls.toLocaleString("en-US")} calls of each shape by ${clients} clients, client and handlers on the same machine.

| shape | calls a second | bytes on the disk for each | memory of the process afterwards |
|---|---|---|---|
${rows.join("\n")}`);
