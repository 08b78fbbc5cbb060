/** The consumption of processes, read from the kernel. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The unit of `utime` and `stime`, which is the same on every Linux for x64. */
const TICKS_PER_SECOND = 100;
const BLOCK_BYTES = 512;
const QUIET_FOR_MS = 200;
/** The most CPU time in `QUIET_FOR_MS` with which a process counts as idle: 5 % of a CPU. */
const QUIET_MAX_SECONDS = 0.01;
const QUIET_WITHIN_MS = 20_000;

/** CPU seconds of a process since its start, including all its threads. */
export function cpuSeconds(pid) {
  const { utime, stime } = ticksOf(`/proc/${pid}/stat`);
  return (utime + stime) / TICKS_PER_SECOND;
}

/** CPU seconds of the living threads, summed by the name of the thread; the main thread is called `main` here. */
export function cpuSecondsByThread(pid) {
  const byName = {};
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const isMain = task === String(pid);
    const name = isMain ? "main" : readFileSync(`/proc/${pid}/task/${task}/comm`, "utf8").trim();
    const { utime, stime } = ticksOf(`/proc/${pid}/task/${task}/stat`);
    byName[name] = (byName[name] ?? 0) + (utime + stime) / TICKS_PER_SECOND;
  }
  return byName;
}

/** The resident memory of a process now, in megabytes. */
export function residentMegabytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

/** The size of the files below a folder in megabytes; files that vanish meanwhile count as nothing. */
export function diskMegabytes(dir) {
  let blocks = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    blocks += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0;
  }
  return (blocks * BLOCK_BYTES) / 1024 / 1024;
}

/**
 * Waits until none of the processes works any more.
 * @returns whether that state was reached
 */
export async function untilQuiet(pids) {
  const deadlineMs = Date.now() + QUIET_WITHIN_MS;
  for (;;) {
    const before = pids.map(cpuSeconds);
    await sleep(QUIET_FOR_MS);
    if (pids.every((pid, at) => cpuSeconds(pid) - before[at] <= QUIET_MAX_SECONDS + 1e-9)) return true;
    if (Date.now() > deadlineMs) return false;
  }
}

/** @returns a function that returns the share of all CPUs that the kernel and other processes have used since this call */
export function watchOthers() {
  const [busyBefore, oursBefore, startedAtMs] = [busySeconds(), familySeconds(), Date.now()];
  return () => {
    const others = busySeconds() - busyBefore - (familySeconds() - oursBefore);
    return Math.max(others, 0) / (((Date.now() - startedAtMs) / 1000) * cpus().length);
  };
}

/** The seconds of all CPUs, without idling and without waiting for the disk. */
function busySeconds() {
  const [user, nice, system, , , interrupts, softInterrupts] = readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND;
}

/** The CPU seconds of this process and of its children that have ended. */
function familySeconds() {
  const { utime, stime, cutime, cstime } = ticksOf("/proc/self/stat");
  return (utime + stime + cutime + cstime) / TICKS_PER_SECOND;
}

/** The name of the process may contain anything, so the fields are counted from its closing parenthesis. */
function ticksOf(statFile) {
  const stat = readFileSync(statFile, "utf8");
  const [utime, stime, cutime, cstime] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
  return { utime, stime, cutime, cstime };
}
