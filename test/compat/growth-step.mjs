/** One step of the growth bench: fills a new server, and measures calls, memory, lists and a restart on it. */
import { setTimeout as sleep } from "node:timers/promises";
import { diskMegabytes, residentMegabytes, untilQuiet } from "./consumption.mjs";
import { startContestant } from "./contestants.mjs";
import { startDeployment } from "./deployment.mjs";
import { BODY, callsOf, postMany } from "./load.mjs";
import { median } from "./report.mjs";
import { stopDownTo } from "./rounds.mjs";
import { SHAPES, askOnce, requireRightAnswers } from "./shapes.mjs";

const PLAIN = SHAPES[0];
const FILLERS = 64;
const WARM_UP_SECONDS = 2;
const AFTER_RESTART_SECONDS = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
const ASLEEP_WITHIN_MS = 600_000;
const LIST_TIMES = 3;
const LIST_WITHIN_MS = 120_000;
const PAGE = 50;

/** The same statements for both servers. */
const STATEMENTS = {
  pageMs: `select id, target, status from sys_invocation limit ${PAGE}`,
  newestMs: `select id, target, status, created_at from sys_invocation order by created_at desc limit ${PAGE}`,
  countMs: "select count(*) as counted from sys_invocation",
};

/**
 * @param size the number of invocations that are stored or sleep before the measurement; the number may be off by the requests
 * that are under way when the filling stops
 * @param stops a stack of functions that stop the started processes; the caller stops the rest if this function throws
 * @returns rates per second, times in ms unless named otherwise, memory in MB
 */
export async function measureStep(contestant, { series, size }, { seconds, clients }, dir, stops) {
  const depth = stops.length;
  const deployment = await startDeployment(dir);
  stops.push(deployment.stop);
  const server = await startContestant(contestant, dir, deployment.url);
  stops.push(server.stop);
  await requireRightAnswers(server.ingressUrl, PLAIN);
  const startedAtMs = performance.now();
  if (size > 0) await (series === "stored" ? store : putToSleep)({ server, deployment }, size);
  await untilQuiet([server.pid, deployment.pid]);
  const fillSeconds = (performance.now() - startedAtMs) / 1000;
  const diskMb = diskMegabytes(server.dataDir);
  const lists = await timeLists(server);
  const load = callsOf(server.ingressUrl, PLAIN);
  await load(WARM_UP_SECONDS, clients);
  const calls = rates(await load(seconds, clients));
  const residentMb = residentMegabytes(server.pid);
  await untilQuiet([server.pid, deployment.pid]);
  const restartMs = await server.restart(() => askOnce(server.ingressUrl, PLAIN).then(() => true));
  const after = rates(await load(AFTER_RESTART_SECONDS, clients));
  await stopDownTo(stops, depth);
  return {
    fillSeconds,
    ...calls,
    residentMb,
    diskMb,
    restartMs,
    callsPerSecondAfterRestart: after.callsPerSecond,
    failures: calls.failures + after.failures,
    ...lists,
  };
}

/** Plain calls end at once, and both servers keep an ended invocation for a day by default. */
async function store({ server }, size) {
  await postMany(`${server.ingressUrl}/${PLAIN.path}`, BODY, size, FILLERS);
}

async function putToSleep({ server, deployment }, size) {
  const body = JSON.stringify({ number: "{number}", dueAtMs: Date.now() + DAY_MS }).replace('"{number}"', "{number}");
  await postMany(`${server.ingressUrl}/suspending/nap/send`, body, size, FILLERS);
  const deadlineMs = Date.now() + ASLEEP_WITHIN_MS;
  // The sends that were under way at the end of the filling may be lost.
  while ((await deployment.naps()).begun < size - FILLERS) {
    if (Date.now() > deadlineMs) throw new Error(`${size} invocations did not fall asleep in time`);
    await sleep(200);
  }
}

function rates({ calls, tookMicros, p50Micros, p99Micros, refused, broken }) {
  return {
    callsPerSecond: (calls - refused) / (tookMicros / 1e6),
    p50Ms: p50Micros / 1000,
    p99Ms: p99Micros / 1000,
    failures: refused + broken,
  };
}

async function timeLists({ adminUrl, access }) {
  const found = {};
  for (const [name, query] of Object.entries(STATEMENTS)) {
    const { ms, answer } = await timeOf(() =>
      fetch(`${adminUrl}/query`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...access },
        body: JSON.stringify({ query }),
        signal: AbortSignal.timeout(LIST_WITHIN_MS),
      }),
    );
    found[name] = ms;
    if (name === "countMs") found.counted = answer?.rows?.[0]?.counted;
  }
  // The reference has no such route; its own tools list invocations only by SQL statements.
  const listing = () =>
    fetch(`${adminUrl}/invocations?limit=${PAGE}`, { headers: access, signal: AbortSignal.timeout(LIST_WITHIN_MS) });
  const hasRoute = (await listing().catch(() => undefined))?.ok === true;
  return { ...found, ...(hasRoute && { listMs: (await timeOf(listing)).ms }) };
}

/** @returns the median of several times, and the last answer; an empty object if a request is refused or late */
async function timeOf(ask) {
  const times = [];
  let answer;
  for (let time = 0; time < LIST_TIMES; time++) {
    const startedAtMs = performance.now();
    try {
      const response = await ask();
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
      answer = JSON.parse(text);
    } catch (error) {
      process.stderr.write(`a list failed: ${error.message.slice(0, 300)}\n`);
      return {};
    }
    times.push(performance.now() - startedAtMs);
  }
  return { ms: median(times), answer };
}
