/** Compares our local process with the reference server under the same load, one at a time: `npm run compare -- --help`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { REFERENCE, startContestant, stepwell } from "./contestants.mjs";
import { GroundError, NODE_24, ROOT, build, requireGround } from "./ground.mjs";
import { callFor, measure } from "./load.mjs";
import { USAGE, readOptions } from "./options.mjs";
import { afterwards, report } from "./report.mjs";
import { cpuSeconds, freePort, startProcess, stopProcess, untilReady } from "./running-process.mjs";
import { requireRightAnswers } from "./shapes.mjs";

/** Between two loads, for what the first one left behind in the sockets. */
const BREATH_MS = 300;

/** Everything that runs is stopped in reverse order, whatever ends the comparison. */
const stops = [];

function contestantsOf(options) {
  return [
    stepwell("ours", join(ROOT, "dist/stepwell.js")),
    ...(options.before === undefined ? [] : [stepwell("before", resolve(options.before))]),
    ...(options["without-reference"] ? [] : [REFERENCE]),
  ];
}

async function startDeployment(dir) {
  const port = await freePort();
  const running = startProcess(NODE_24, [join(import.meta.dirname, "service.mjs"), String(port)], {
    logFile: join(dir, "deployment.log"),
    env: { ...process.env, RESTATE_LOGGING: "ERROR", NODE_ENV: "production" },
  });
  stops.push(() => stopProcess(running));
  await untilReady(running, "the deployment", async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect").finally(() => socket.destroy());
    return true;
  });
  return { pid: running.pid, url: `http://127.0.0.1:${port}` };
}

/** One contestant with fresh processes: every shape, checked, warmed up, measured, and watched while it settles. */
async function visit(contestant, round, options, dir) {
  const rows = [];
  const settled = [];
  const depth = stops.length;
  const deployment = await startDeployment(dir);
  const server = await startContestant(contestant, dir, deployment.url);
  stops.push(server.stop);
  for (const shape of options.shapes) {
    const labels = { contestant: contestant.name, round, shape: shape.name };
    const { calls } = await callFor(options.warmUpSeconds, Math.max(...options.connections), server.ingressUrl, shape);
    let caused = calls;
    for (const connections of options.connections) {
      await requireRightAnswers(server.ingressUrl, shape);
      await sleep(BREATH_MS);
      const row = await measure(options.seconds, connections, { server, deploymentPid: deployment.pid }, shape);
      caused += row.calls;
      rows.push({ ...labels, connections, ...row });
      tell(
        `round ${round} ${contestant.name} ${shape.name} c${connections}: ${row.callsPerSecond.toFixed(0)}/s, ` +
          `p50 ${row.p50Ms.toFixed(2)} ms, CPU ${row.serverCpu.toFixed(3)}, ${row.failures} failures`,
      );
    }
    const before = cpuSeconds(server.pid);
    await sleep(options.settle * 1000);
    settled.push({ ...labels, calls: caused, serverCpu: ((cpuSeconds(server.pid) - before) * 1000) / caused });
  }
  await stopDownTo(depth);
  return { rows, settled };
}

async function stopDownTo(depth) {
  while (stops.length > depth) await stops.pop()();
}

function tell(text) {
  process.stderr.write(`${text}\n`);
}

async function compare(options) {
  requireGround();
  if (!options["no-build"]) build();
  const dir = await mkdtemp(join(options.dir ?? tmpdir(), "stepwell-compare-"));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const contestants = contestantsOf(options);
  const rows = [];
  const settled = [];
  for (let round = 1; round <= options.rounds; round++) {
    // Who comes first changes from round to round.
    const order = round % 2 === 1 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const visited = await visit(contestant, round, options, dir);
      rows.push(...visited.rows);
      settled.push(...visited.settled);
    }
  }
  const names = contestants.map(({ name }) => name);
  console.log(
    `${options.rounds} rounds of ${options.seconds} s on ${cpus().length} CPUs, ${cpus()[0].model.trim()}; ` +
      `ours on Node ${process.versions.node}, handlers on Node 24 over h2c.\n`,
  );
  console.log(report(rows, names, options.shapes, options.connections));
  if (options.settle > 0) console.log(`\n${afterwards(settled, names, options.shapes)}`);
  if (options.json !== undefined) await writeFile(options.json, JSON.stringify({ rows, settled }, undefined, 2));
  if (rows.some(({ failures }) => failures > 0)) throw new GroundError("Some calls failed; see the last column.");
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => void stopDownTo(0).finally(() => process.exit(1)));
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await compare(options);
} catch (error) {
  if (!(error instanceof GroundError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopDownTo(0);
}
