/** One load by wrk on one server, and what it cost: the processes are read just before and just after it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { cpuSeconds, cpuSecondsByThread, residentMegabytes } from "./running-process.mjs";
import { pathOf } from "./shapes.mjs";

const SCRIPT = join(import.meta.dirname, "post.lua");
const BODY = JSON.stringify({ text: "a few words that are sent and come back" });
const CALLS = 1000;

/** @returns calls, latencies and failures as wrk saw them */
export async function callFor(seconds, connections, ingressUrl, shape) {
  const url = pathOf(ingressUrl, shape);
  const args = [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--timeout",
    "10s",
    "--latency",
    "-s",
    SCRIPT,
    url,
    "--",
    BODY,
  ];
  const { stdout } = await promisify(execFile)("wrk", args);
  const line = /^RESULT (.*)$/m.exec(stdout);
  if (line === null) throw new Error(`wrk told no result:\n${stdout}`);
  return JSON.parse(line[1]);
}

/** @returns one measurement: rates per second, times in ms, CPU in seconds per 1,000 calls, memory in MB */
export async function measure(seconds, connections, { server, deploymentPid }, shape) {
  const pids = [server.pid, deploymentPid];
  const before = pids.map(cpuSeconds);
  const threadsBefore = cpuSecondsByThread(server.pid);
  const result = await callFor(seconds, connections, server.ingressUrl, shape);
  const [serverCpu, deploymentCpu] = pids.map((pid, at) => cpuSeconds(pid) - before[at]);
  const { calls, tookMicros, p50Micros, p99Micros, refused, broken } = result;
  const perCalls = CALLS / Math.max(calls - refused, 1);
  return {
    calls,
    failures: refused + broken,
    callsPerSecond: (calls - refused) / (tookMicros / 1e6),
    p50Ms: p50Micros / 1000,
    p99Ms: p99Micros / 1000,
    serverCpu: serverCpu * perCalls,
    deploymentCpu: deploymentCpu * perCalls,
    residentMb: residentMegabytes(server.pid),
    threads: perThread(threadsBefore, cpuSecondsByThread(server.pid), perCalls),
  };
}

function perThread(before, after, perCalls) {
  const used = Object.entries(after).map(([name, seconds]) => [name, (seconds - (before[name] ?? 0)) * perCalls]);
  return Object.fromEntries(used.filter(([, cost]) => cost > 0));
}
