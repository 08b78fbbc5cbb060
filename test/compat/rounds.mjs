/** Runs the rounds. In each round, the contestants and the bare deployment take turns: each gets new processes and its loads. */
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, diskMegabytes, untilQuiet } from "./consumption.mjs";
import { startContestant } from "./contestants.mjs";
import { recordConversations } from "./conversation.mjs";
import { startDeployment, untilEnded } from "./deployment.mjs";
import { measureLateness } from "./lateness.mjs";
import { callsOf, measure, replaysOf } from "./load.mjs";
import { isSend, requireRightAnswers } from "./shapes.mjs";

export const LIMIT = "limit";
/** Enough to fill the pipeline, and few enough that a slow shape ends soon. */
const WARM_UP_CLIENTS_MAX = 32;

/**
 * @param stops a stack of functions that stop the started processes; the caller stops the rest if this function throws
 * @returns the recordings, every measurement, how late sleeping invocations woke, the work of each contestant after its loads,
 *   and its bytes on the disk
 */
export async function runRounds(contestants, options, dir, stops) {
  const conversations = options["without-limit"] ? {} : await record(contestants[0], options, dir, stops);
  const found = { conversations: lengthsOf(conversations), rows: [], latenesses: [], settled: [], disks: [] };
  for (let round = 1; round <= options.rounds; round++) {
    // The order of the contestants changes from round to round.
    const order = round % 2 === 1 ? contestants : contestants.toReversed();
    for (const contestant of order) await visit(contestant, { round, options, dir, stops }, found);
    if (!options["without-limit"]) await visitLimit(conversations, { round, options, dir, stops }, found);
  }
  return found;
}

export async function stopDownTo(stops, depth) {
  while (stops.length > depth) await stops.pop()();
}

async function record(contestant, options, dir, stops) {
  const deployment = await startDeployment(dir);
  stops.push(deployment.stop);
  const conversations = await recordConversations(contestant, dir, deployment, options.shapes);
  await stopDownTo(stops, stops.length - 1);
  return conversations;
}

function lengthsOf(conversations) {
  const lengths = Object.entries(conversations).map(([name, { exchanges, messages }]) => [
    name,
    { exchanges, messages },
  ]);
  return Object.fromEntries(lengths);
}

/** Checks, warms up and measures one contestant with every shape, and watches it settle. */
async function visit(contestant, { round, options, dir, stops }, found) {
  const depth = stops.length;
  const deployment = await startDeployment(dir);
  stops.push(deployment.stop);
  const server = await startContestant(contestant, dir, deployment.url);
  stops.push(server.stop);
  const disk = { contestant: contestant.name, round, calls: 0 };
  for (const shape of shapesOf(round, options)) {
    const labels = { contestant: contestant.name, round, shape: shape.name };
    const load = callsOf(server.ingressUrl, shape);
    await requireRightAnswers(server.ingressUrl, shape);
    let calls = await warmUp({ load, deployment, server }, shape, options);
    for (const connections of options.connections) {
      const seconds = secondsOf(shape, connections, options);
      const row = {
        ...labels,
        connections,
        ...(await measure({ load, deployment, server }, shape, seconds, connections)),
      };
      calls += row.calls;
      found.rows.push(row);
      tell(row);
      await requireRightAnswers(server.ingressUrl, shape);
    }
    if (options.settle > 0) found.settled.push({ ...labels, calls, serverCpu: await settle(server, options, calls) });
    disk.calls += calls;
  }
  found.disks.push({ ...disk, megabytes: diskMegabytes(server.dataDir) });
  const labels = { contestant: contestant.name, round };
  if (options.naps > 0)
    found.latenesses.push(...(await measureLateness({ deployment, server }, options.naps, labels, tellLateness)));
  await stopDownTo(stops, depth);
}

/** Measures the deployment alone, with the recorded conversation of the first contestant. */
async function visitLimit(conversations, { round, options, dir, stops }, found) {
  const depth = stops.length;
  const deployment = await startDeployment(dir);
  stops.push(deployment.stop);
  for (const shape of shapesOf(round, options)) {
    const load = replaysOf(deployment.url, conversations[shape.name].file);
    await load(options.warmUpSeconds, WARM_UP_CLIENTS_MAX);
    for (const connections of options.connections) {
      const measured = await measure({ load, deployment }, shape, Math.ceil(options.seconds / 2), connections);
      const row = { contestant: LIMIT, round, shape: shape.name, connections, ...measured };
      found.rows.push(row);
      tell(row);
    }
  }
  await stopDownTo(stops, depth);
}

/** Slow shapes are left out of the last of several rounds. */
function shapesOf(round, { shapes, rounds }) {
  return shapes.filter(({ isSlow }) => isSlow !== true || round === 1 || round < rounds);
}

/** A slow call among many takes seconds, so slow shapes run longer. A send does not wait, so half the time is enough. */
function secondsOf(shape, connections, { seconds }) {
  if (shape.isSlow === true) return seconds * (connections > WARM_UP_CLIENTS_MAX ? 4 : 2);
  return isSend(shape) ? Math.ceil(seconds / 2) : seconds;
}

/** @returns the number of calls of the warm-up */
async function warmUp({ load, deployment, server }, shape, { connections, shapes, warmUpSeconds }) {
  const before = await deployment.ended();
  const seconds = shape === shapes[0] ? warmUpSeconds * 2 : warmUpSeconds;
  const { calls, refused } = await load(seconds, Math.min(Math.max(...connections), WARM_UP_CLIENTS_MAX));
  if (isSend(shape)) await untilEnded(deployment, before.ended + calls - refused);
  await untilQuiet([server.pid, deployment.pid]);
  return calls;
}

/** @returns CPU seconds per 1,000 of the calls that caused the work */
async function settle(server, options, calls) {
  const before = cpuSeconds(server.pid);
  await sleep(options.settle * 1000);
  return ((cpuSeconds(server.pid) - before) * 1000) / calls;
}

function tell({ round, contestant, shape, connections, callsPerSecond, p50Ms, serverCpu, deploymentCpu, ...row }) {
  const ended = row.endedPerSecond === undefined ? "" : ` (${row.endedPerSecond.toFixed(0)} ended/s)`;
  const cpu = `CPU ${serverCpu?.toFixed(3) ?? "–"} + ${deploymentCpu.toFixed(3)}`;
  const restless = row.isQuiet ? "" : ", and still at work";
  process.stderr.write(
    `round ${round} ${contestant} ${shape} c${connections}: ${callsPerSecond.toFixed(0)}/s${ended}, ` +
      `p50 ${p50Ms?.toFixed(2) ?? "–"} ms, ${cpu}, ${row.failures} failures${restless}\n`,
  );
}

function tellLateness({ round, contestant, shape, connections, naps, woken, inTime, p50Ms, p99Ms, maxMs }) {
  const [p50, p99, max] = [p50Ms, p99Ms, maxMs].map((ms) => ms?.toFixed(1) ?? "–");
  process.stderr.write(
    `round ${round} ${contestant} ${shape} c${connections}: late by p50 ${p50} ms, p99 ${p99} ms, at most ${max} ms, ` +
      `${woken - inTime} began late, ${naps - woken} missing\n`,
  );
}
