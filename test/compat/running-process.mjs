/** Child processes: starting and stopping them, and waiting until they serve. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const READY_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 50;
const STOP_WITHIN_MS = 10_000;

/** The started processes. This process kills them when it exits, except when SIGKILL ends it. */
const living = new Set();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/**
 * @param options.logFile the file to which both outputs go
 * @param options.hasChannel whether the process gets a channel for messages
 */
export function startProcess(command, args, { logFile, hasChannel = false, ...options }) {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { ...options, stdio: ["ignore", log, log, ...(hasChannel ? ["ipc"] : [])] });
  closeSync(log);
  living.add(child);
  const exited = once(child, "exit").finally(() => living.delete(child));
  exited.catch(() => undefined);
  return { child, exited, logFile, pid: child.pid };
}

/** Sends SIGTERM, and kills the process if it has not ended in time. */
export async function stopProcess({ child, exited }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await exited;
  clearTimeout(late);
}

/**
 * Polls until the condition holds.
 * @throws Error with the end of the log if the process ends or does not answer in time
 */
export async function untilReady(running, what, probe, withinMs = READY_WITHIN_MS, everyMs = POLL_EVERY_MS) {
  const deadlineMs = Date.now() + withinMs;
  while (!(await probe().catch(() => false))) {
    const { child, logFile } = running;
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadlineMs)
      throw new Error(`${what} ${ended ? "ended" : "is not ready"}:\n${readFileSync(logFile, "utf8").slice(-2000)}`);
    await sleep(everyMs);
  }
}

/** All ports are open at the same time, so that no two are the same. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.filter(({ listening }) => !listening).map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, "close")));
  return ports;
}
