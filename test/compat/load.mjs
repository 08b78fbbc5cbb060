/** Runs one load on a server or on the bare deployment, and measures the time, the CPU and the memory that the load costs. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { cpuSeconds, cpuSecondsByThread, residentMegabytes, untilQuiet } from "./consumption.mjs";
import { untilEnded } from "./deployment.mjs";
import { NODE_24 } from "./ground.mjs";
import { isSend, pathOf } from "./shapes.mjs";

const SCRIPT = join(import.meta.dirname, "post.lua");
const REPLAYER = join(import.meta.dirname, "replayer.mjs");
export const BODY = JSON.stringify({ text: "a few words that are sent and come back" });
const CALLS = 1000;
const FILL_MAX_SECONDS = 3600;

/** @typedef {(seconds: number, connections: number) => Promise<object>} Load resolves to the calls, latencies and failures */

/** @returns {Load} calls by wrk on an ingress */
export function callsOf(ingressUrl, shape) {
  return async (seconds, connections) => {
    const url = pathOf(ingressUrl, shape);
    const times = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "--latency"];
    const { stdout } = await promisify(execFile)("wrk", [...times, "-s", SCRIPT, url, "--", BODY]);
    return resultIn(stdout);
  };
}

/**
 * Sends a number of requests as fast as `connections` clients can; the last ones are sent, but not waited for.
 * @param body the body of each request; `{number}` in it stands for the number of the request
 * @throws Error if one of them was refused
 */
export async function postMany(url, body, count, connections) {
  const args = ["-t1", `-c${connections}`, `-d${FILL_MAX_SECONDS}s`, "--timeout", "60s", "-s", SCRIPT, url, "--", body];
  const filling = promisify(execFile)("wrk", [...args, String(count)]);
  filling.child.stdout.on("data", (text) => text.includes("FULL") && filling.child.kill("SIGINT"));
  // A bench that is interrupted leaves no load behind.
  const end = () => filling.child.kill("SIGKILL");
  process.once("exit", end);
  const { stdout } = await filling.finally(() => process.off("exit", end));
  const { refused, broken } = resultIn(stdout);
  if (refused + broken > 0) throw new Error(`${url}: ${refused} requests were refused, and ${broken} had no answer`);
}

function resultIn(stdout) {
  const line = /^RESULT (.*)$/m.exec(stdout);
  if (line === null) throw new Error(`wrk printed no result:\n${stdout}`);
  return JSON.parse(line[1]);
}

/** @returns {Load} repetitions of a recorded conversation on a deployment */
export function replaysOf(deploymentUrl, conversationFile) {
  return async (seconds, connections) => {
    const args = [REPLAYER, deploymentUrl, conversationFile, String(seconds), String(connections)];
    return JSON.parse((await promisify(execFile)(NODE_24, args)).stdout);
  };
}

/**
 * @param {{ load: Load, deployment: object, server?: object }} subject the server is absent for the bare deployment
 * @returns one measurement: rates per second, times in ms, CPU in seconds per 1,000 calls, memory in MB
 */
export async function measure({ load, deployment, server }, shape, seconds, connections) {
  const pids = [deployment.pid, ...(server === undefined ? [] : [server.pid])];
  const before = pids.map(cpuSeconds);
  const threadsBefore = server === undefined ? {} : cpuSecondsByThread(server.pid);
  const endedBefore = await deployment.ended();
  const startedAtMs = Date.now();
  const { calls, tookMicros, p50Micros, p99Micros, refused, broken } = await load(seconds, connections);
  const [deploymentMb, residentMb] = pids.map(residentMegabytes);
  const watchesSends = isSend(shape) && server !== undefined;
  if (watchesSends) await untilEnded(deployment, endedBefore.ended + calls - refused);
  const isQuiet = await untilQuiet(pids);
  const after = await deployment.ended();
  // At the end of a load each client has an open call, which the processes still finish.
  const worked = watchesSends ? after.ended - endedBefore.ended : calls - refused + connections;
  const perCalls = CALLS / Math.max(worked, 1);
  const [deploymentCpu, serverCpu] = pids.map((pid, at) => (cpuSeconds(pid) - before[at]) * perCalls);
  const row = {
    calls,
    failures: refused + broken,
    callsPerSecond: (calls - refused) / (tookMicros / 1e6),
    // None if no call was answered in time.
    p50Ms: calls > 0 ? p50Micros / 1000 : undefined,
    p99Ms: calls > 0 ? p99Micros / 1000 : undefined,
    deploymentCpu,
    deploymentMb,
    isQuiet,
  };
  if (server === undefined) return row;
  const threads = perThread(threadsBefore, cpuSecondsByThread(server.pid), perCalls);
  const endedPerSecond = watchesSends ? (worked * 1000) / Math.max(after.lastEndedAtMs - startedAtMs, 1) : undefined;
  return { ...row, serverCpu, residentMb, threads, endedPerSecond };
}

function perThread(before, after, perCalls) {
  const used = Object.entries(after).map(([name, seconds]) => [name, (seconds - (before[name] ?? 0)) * perCalls]);
  return Object.fromEntries(used.filter(([, cost]) => cost > 0));
}
