/**
 * Measures Stepwell's local process and the reference server at a growing number of stored invocations.
 * `npm run bench:growth -- --help` prints the options.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runBench } from "./bench-command.mjs";
import { watchOthers } from "./consumption.mjs";
import { REFERENCE, stepwell } from "./contestants.mjs";
import { GroundError, ROOT, build, requireGround } from "./ground.mjs";
import { GROWTH_USAGE, readGrowthOptions } from "./growth-options.mjs";
import { growthTable } from "./growth-report.mjs";
import { shown } from "./report.mjs";
import { measureStep } from "./growth-step.mjs";
import { surroundings } from "./machine.mjs";
import { asJson, publishGrowth } from "./published.mjs";

async function grow(options, stops) {
  requireGround();
  if (!options["no-build"] && options.ours === undefined) build();
  const dir = await mkdtemp(join(options.dir ?? tmpdir(), "stepwell-growth-"));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const machine = { ...surroundings(dir), loadBefore: loadavg()[0] };
  const othersShare = watchOthers();
  const steps = [];
  for (const { contestant, ...step } of stepsOf(options)) {
    const row = { contestant: contestant.name, ...step, ...(await measureStep(contestant, step, options, dir, stops)) };
    steps.push(row);
    tell(row);
  }
  const { seconds, clients } = options;
  const results = { machine: { ...machine, othersShare: othersShare() }, method: { seconds, clients }, steps };
  console.log(["stored", "sleeping"].map((series) => growthTable(results.steps, series)).join("\n\n"));
  if (options.json !== undefined) await writeFile(options.json, asJson(results));
  if (options["write-docs"]) await publishGrowth(results);
  if (steps.some(({ failures }) => failures > 0))
    throw new GroundError("Some calls failed; see the last column of the tables.");
}

function stepsOf(options) {
  const ours = stepwell("ours", resolve(options.ours ?? join(ROOT, "dist/stepwell.js")));
  const isMeasured = ({ contestant, size }) =>
    contestant === ours || (!options["without-reference"] && size <= options.referenceUpTo);
  const steps = ["stored", "sleeping"].flatMap((series) =>
    options[series].flatMap((size) => [ours, REFERENCE].map((contestant) => ({ contestant, series, size }))),
  );
  return steps.filter(isMeasured);
}

function tell({ contestant, series, size, ...row }) {
  process.stderr.write(
    `${contestant}, ${size} ${series} (filled in ${shown(row.fillSeconds, 0)} s, counted ${row.counted ?? "–"}): ` +
      `${shown(row.callsPerSecond, 0)}/s, p99 ${shown(row.p99Ms, 1)} ms, ${shown(row.residentMb, 0)} MB, ` +
      `restart ${shown(row.restartMs, 0)} ms then ${shown(row.callsPerSecondAfterRestart, 0)}/s, page ${shown(row.pageMs, 0)} ms, ` +
      `newest ${shown(row.newestMs, 0)} ms, count ${shown(row.countMs, 0)} ms, ${row.failures} failures\n`,
  );
}

await runBench(readGrowthOptions, GROWTH_USAGE, grow);
