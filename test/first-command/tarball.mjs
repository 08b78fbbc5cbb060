/** Repeats the first steps without a clone: npx installs and runs the packed command in an empty folder. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const READY_WITHIN_MS = 600_000;
const STOPPED_WITHIN_MS = 180_000;
const POLL_EVERY_MS = 50;

/** @returns the path of the tarball, which the command prints in its last line */
export function packed(clone, cache) {
  const env = { ...process.env, npm_config_cache: cache, npm_config_ignore_scripts: "true" };
  const { stdout, stderr, status } = spawnSync("npm", ["run", "package"], { cwd: clone, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm run package failed: ${stderr}`);
  return join(clone, stdout.trim().split("\n").at(-1));
}

/** The line of the log with the addresses. */
async function readyLine(running) {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadlineMs && running.child.exitCode === null && running.child.signalCode === null) {
    const line = running.log
      .split("\n")
      .find((one) => one.startsWith("{") && one.includes('"event":"process.started"') && one.endsWith("}"));
    if (line !== undefined) return JSON.parse(line);
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`npx stepwell dev was not ready: ${running.log}`);
}

/**
 * @param place the tarball, a temporary folder and npm's cache
 * @param verify records whether a check holds
 */
export async function verifyTarball({ tarball, temporary, cache }, verify) {
  const env = { ...process.env, npm_config_cache: cache, npm_config_ignore_scripts: "true" };
  const empty = join(temporary, "empty");
  mkdirSync(empty);
  const npx = (...args) => ["--yes", `--package=${tarball}`, "stepwell", ...args];

  const startedMs = performance.now();
  const args = npx("dev", "--ingress-port", "0", "--admin-port", "0", "--no-register", "--json");
  const child = spawn("npx", args, { cwd: empty, env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const running = { child, log: "" };
  const end = once(child, "exit");
  child.stderr.setEncoding("utf8").on("data", (text) => (running.log += text));
  try {
    const { ingress, admin } = await readyLine(running);
    const seconds = (performance.now() - startedMs) / 1000;
    verify(`npx --package=<tarball> stepwell dev is ready after ${seconds.toFixed(1)} s`, true);
    verify("its ingress is healthy", (await fetch(`${ingress}restate/health`)).status === 200);
    const listed = spawnSync("npx", npx("svc", "ls", "--json", "--admin-url", admin), {
      cwd: empty,
      env,
      encoding: "utf8",
    });
    verify(
      "npx stepwell svc ls asks this server",
      listed.status === 0 && /"services": \[\]/.test(listed.stdout),
      listed.stderr,
    );
    verify(
      "the folder has its data and nothing else",
      readdirSync(empty).join() === ".stepwell",
      readdirSync(empty).join(),
    );
    process.kill(-Number(child.pid), "SIGINT");
    const [code, signal] = await Promise.race([end, sleep(STOPPED_WITHIN_MS, ["late"], { ref: false })]);
    verify("Ctrl-C ends it", code === 0 || code === 130 || signal === "SIGINT", `${code} ${signal}`);
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), "SIGKILL");
  }
}
