/** Child processes: starting and stopping them, and reading from the kernel what they have used. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync, readdirSync, closeSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const READY_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 50;
const STOP_WITHIN_MS = 10_000;
/** Of `utime` and `stime`: the kernel shows them in this unit on every Linux that runs on x64. */
const TICKS_PER_SECOND = 100;

/** @param options.logFile takes both outputs */
export function startProcess(command, args, { logFile, ...options }) {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { ...options, stdio: ["ignore", log, log] });
  closeSync(log);
  const exited = once(child, "exit");
  exited.catch(() => undefined);
  return { child, exited, logFile, pid: child.pid };
}

/** Asked first, forced when it takes too long. */
export async function stopProcess({ child, exited }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await exited;
  clearTimeout(late);
}

/** Asks until the answer is yes. @throws Error with the end of the log where the process ends or stays mute */
export async function untilReady(running, what, probe) {
  const deadlineMs = Date.now() + READY_WITHIN_MS;
  while (!(await probe().catch(() => false))) {
    const { child, logFile } = running;
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadlineMs)
      throw new Error(`${what} ${ended ? "ended" : "is not ready"}:\n${readFileSync(logFile, "utf8").slice(-2000)}`);
    await sleep(POLL_EVERY_MS);
  }
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** CPU seconds of a process since its start, those of all its threads included. */
export function cpuSeconds(pid) {
  return ticksOf(`/proc/${pid}/stat`) / TICKS_PER_SECOND;
}

/** CPU seconds of each living thread, summed by the name of the thread; node's main thread is called after its program. */
export function cpuSecondsByThread(pid) {
  const byName = {};
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const isMain = task === String(pid);
    const name = isMain ? "main" : readFileSync(`/proc/${pid}/task/${task}/comm`, "utf8").trim();
    byName[name] = (byName[name] ?? 0) + ticksOf(`/proc/${pid}/task/${task}/stat`) / TICKS_PER_SECOND;
  }
  return byName;
}

/** Memory that is held in RAM now, in megabytes. */
export function residentMegabytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

/** The name may contain anything, so the fields are counted from its closing parenthesis. */
function ticksOf(statFile) {
  const stat = readFileSync(statFile, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
