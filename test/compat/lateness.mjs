/** Measures by the clock of the handler how late sleeping invocations wake, first without other load, then while clients call. */
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { untilQuiet } from "./consumption.mjs";
import { NAPS, distributionOf } from "./lateness-report.mjs";
import { callsOf } from "./load.mjs";
import { SHAPES } from "./shapes.mjs";

/** The numbers of clients that call meanwhile: none, and 32, for which docs/performance.md has an aim for calls per second. */
export const CALLERS = [0, 32];

/**
 * Each nap ends at a moment of its own. The server accepts all naps before the first of these moments, and the moments are
 * spread evenly over `SPREAD_MS`.
 */
const FIRST_DUE_MS = 4000;
const SPREAD_MS = 3000;
const LOAD_LEAD_MS = 500;
const LOAD_SECONDS = Math.ceil((LOAD_LEAD_MS + SPREAD_MS) / 1000);
const SENDERS = 20;
const WOKEN_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 100;

/**
 * @param labels the labels of each row
 * @param tell a function that gets each row once it is measured
 * @returns a row for each kind of nap and number of calling clients
 */
export async function measureLateness({ deployment, server }, napsEach, labels, tell) {
  const rows = [];
  for (const { name: shape, path } of NAPS) {
    for (const connections of CALLERS) {
      await untilQuiet([server.pid, deployment.pid]);
      const woken = await wakeUps({ deployment, server }, path, napsEach, connections);
      const latenessesMs = await deployment.takeLatenesses();
      rows.push({ ...labels, shape, connections, naps: napsEach, woken, ...distributionOf(latenessesMs) });
      tell(rows.at(-1));
    }
  }
  return rows;
}

/** @returns the number of naps that have woken */
async function wakeUps({ deployment, server }, path, napsEach, connections) {
  const startedAtMs = Date.now();
  const moments = shuffled(napsEach).map((place) => startedAtMs + FIRST_DUE_MS + (place * SPREAD_MS) / napsEach);
  await sendAll(`${server.ingressUrl}/${path}/send`, moments.map(Math.round));
  await sleep(Math.max(startedAtMs + FIRST_DUE_MS - LOAD_LEAD_MS - Date.now(), 0));
  if (connections > 0) await callsOf(server.ingressUrl, SHAPES[0])(LOAD_SECONDS, connections);
  const deadlineMs = Math.max(startedAtMs + FIRST_DUE_MS + SPREAD_MS, Date.now()) + WOKEN_WITHIN_MS;
  for (;;) {
    const { woken } = await deployment.naps();
    // The report counts the naps that have not woken by this deadline as missing.
    if (woken === napsEach || Date.now() > deadlineMs) return woken;
    await sleep(ASK_EVERY_MS);
  }
}

async function sendAll(url, moments) {
  const requests = moments.entries();
  const sendInTurn = async () => {
    for (const [number, dueAtMs] of requests) {
      const body = JSON.stringify({ number, dueAtMs });
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (response.status !== 202) throw new Error(`a nap was refused: ${response.status} ${await response.text()}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendInTurn));
}

/** The numbers below `count` in random order, so that the invocations wake in another order than they were sent in. */
function shuffled(count) {
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (let at = count - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [numbers[at], numbers[other]] = [numbers[other], numbers[at]];
  }
  return numbers;
}
