/**
 * Repeats the first steps of a newcomer: a fresh clone, the README's first command, the printed curl lines, Ctrl-C; then the
 * package without the clone, and each of its templates.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readmeCommand } from "./readme-command.mjs";
import { packed, verifyTarball } from "./tarball.mjs";
import { verifyTemplates } from "./templates.mjs";

const PORTS = [8080, 9070, 9080];
const ANSWERED_WITHIN_S = 600;
const STOPPED_WITHIN_MS = 180_000;
const QUIET_MS = 500;
const POLL_EVERY_MS = 20;

const ROOT = join(import.meta.dirname, "../..");
const temporary = mkdtempSync(join(tmpdir(), "stepwell-first-command-"));
const clone = join(temporary, "clone");
const cache = join(temporary, "npm-cache");

/** The expected answer to each printed line, by the path that it calls. */
const EXPECTED = [
  { path: "/greeter/greet ", body: (body) => /^[A-Z].*, Ada!$/.test(JSON.parse(body)) },
  { path: "/greeter/remind/send ", body: (body) => /^inv_1\w{33}$/.test(JSON.parse(body).invocationId) },
];

let passed = 0;
let failed = 0;
let skipped = 0;
function verify(what, holds, detail = "") {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${holds || detail === "" ? "" : `: ${detail}`}`);
}

async function isFree(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}

async function takenPorts() {
  const free = await Promise.all(PORTS.map(isFree));
  return PORTS.filter((_, index) => !free[index]);
}

function megabytesOf(folder) {
  let blocks = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    blocks += lstatSync(join(entry.parentPath, entry.name)).blocks;
  }
  return Math.round((blocks * 512) / 1e6);
}

/** Starts the command in its own process group, as a terminal would, and collects its output. */
function startFirstCommand(command) {
  const env = { ...process.env, npm_config_cache: cache, npm_config_ignore_scripts: "true" };
  const child = spawn("sh", ["-c", command], { cwd: clone, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const running = { child, output: "", end: once(child, "exit") };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      running.output += text;
      process.stdout.write(text.replace(/^(?=.)/gm, "  | "));
    });
  }
  return running;
}

function curlLines(output) {
  const complete = output.slice(0, output.lastIndexOf("\n") + 1);
  return complete
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("curl "));
}

async function firstCurlLine(running) {
  const deadlineMs = Date.now() + ANSWERED_WITHIN_S * 1000;
  while (Date.now() < deadlineMs && running.child.exitCode === null && running.child.signalCode === null) {
    const [line] = curlLines(running.output);
    if (line !== undefined) return line;
    await sleep(POLL_EVERY_MS);
  }
  throw new Error("The first command printed no curl line");
}

/** Runs a line exactly as printed; a configuration file makes curl add the status of the answer. */
function paste(line) {
  const env = { ...process.env, CURL_HOME: temporary };
  const { stdout, stderr } = spawnSync("sh", ["-c", line], { env, encoding: "utf8", timeout: 180_000 });
  const at = stdout.lastIndexOf("\n");
  return { body: stdout.slice(0, at), status: Number(stdout.slice(at + 1)), stderr };
}

function verifyAnswer(line, { body, status, stderr }) {
  const expected = EXPECTED.find(({ path }) => line.includes(path));
  let right = false;
  try {
    right = expected?.body(body) ?? false;
  } catch {
    // A body that is not JSON is wrong, and is printed below.
  }
  verify(`${line}  ->  ${status} ${body}`, status >= 200 && status < 300 && right, stderr);
}

/** Signals the whole group, as a terminal does; a group that has ended needs no signal. */
function signalGroup({ pid = 0 }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

async function verifyStop(running) {
  signalGroup(running.child, "SIGINT");
  const late = sleep(STOPPED_WITHIN_MS, ["late"], { ref: false });
  const [code, signal] = await Promise.race([running.end, late]);
  verify(
    "Ctrl-C ends the command with 0, 130 or by SIGINT",
    code === 0 || code === 130 || signal === "SIGINT",
    `${code} ${signal}`,
  );
  const deadlineMs = Date.now() + STOPPED_WITHIN_MS;
  let taken = await takenPorts();
  while (taken.length > 0 && Date.now() < deadlineMs) {
    await sleep(POLL_EVERY_MS);
    taken = await takenPorts();
  }
  verify("the ports are free again", taken.length === 0, taken.join(", "));
}

async function run() {
  const taken = await takenPorts();
  if (taken.length > 0) throw new Error(`Ports ${taken.join(", ")} are taken: this test needs them`);
  mkdirSync(cache);
  writeFileSync(join(temporary, ".curlrc"), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
  spawnSync("git", ["clone", "--quiet", ROOT, clone], { stdio: "inherit" });
  const command = readmeCommand(readFileSync(join(clone, "README.md"), "utf8"), 1);
  console.log(`The first command: ${command}`);

  const startedMs = performance.now();
  const running = startFirstCommand(command);
  try {
    const first = await firstCurlLine(running);
    const answer = paste(first);
    const seconds = (performance.now() - startedMs) / 1000;
    verifyAnswer(first, answer);
    verify(`the first curl is answered after ${seconds.toFixed(1)} s`, seconds <= ANSWERED_WITHIN_S);
    await sleep(QUIET_MS);
    const others = curlLines(running.output).slice(1);
    verify("two or three lines are printed", others.length === 1 || others.length === 2, `${others.length + 1}`);
    for (const line of others) verifyAnswer(line, paste(line));
    for (const line of others.filter((text) => text.includes("idempotency-key"))) {
      verify("under one idempotency key the answer stays", paste(line).body === paste(line).body);
    }
    const installed = megabytesOf(join(clone, "node_modules"));
    const cached = megabytesOf(cache);
    const sizes = `node_modules ${installed} MB, npm cache ${cached} MB`;
    console.log(`first command: ${seconds.toFixed(1)} s, ${installed + cached} MB (${sizes})`);
    await verifyStop(running);
  } finally {
    signalGroup(running.child, "SIGKILL");
  }
  const tarball = packed(clone, cache);
  await verifyTarball({ tarball, temporary, cache }, verify);
  skipped = await verifyTemplates({ tarball, temporary, cache }, verify);
}

try {
  await run();
} catch (error) {
  verify("the test ran to its end", false, error.message);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
