/**
 * Compares Stepwell's local process with the reference server and with the limit, under the same loads. The limit is the speed
 * of the deployment alone, which gets recorded messages. `npm run bench -- --help` prints the options.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runBench } from "./bench-command.mjs";
import { watchOthers } from "./consumption.mjs";
import { REFERENCE, stepwell } from "./contestants.mjs";
import { GroundError, ROOT, build, requireGround } from "./ground.mjs";
import { surroundings } from "./machine.mjs";
import { USAGE, readOptions } from "./options.mjs";
import { asJson, publish } from "./published.mjs";
import { latenessTable } from "./lateness-report.mjs";
import { afterwardsTable, disksTable, mediansTable, ratiosTable } from "./report.mjs";
import { LIMIT, runRounds } from "./rounds.mjs";

function contestantsOf(options) {
  return [
    stepwell("ours", resolve(options.ours ?? join(ROOT, "dist/stepwell.js"))),
    ...(options.before === undefined ? [] : [stepwell("before", resolve(options.before))]),
    ...(options["without-reference"] ? [] : [REFERENCE]),
  ];
}

async function compare(options, stops) {
  requireGround();
  if (!options["no-build"] && options.ours === undefined) build();
  const dir = await mkdtemp(join(options.dir ?? tmpdir(), "stepwell-bench-"));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const contestants = contestantsOf(options);
  const machine = { ...surroundings(dir), loadBefore: loadavg()[0] };
  const othersShare = watchOthers();
  const found = await runRounds(contestants, options, dir, stops);
  const { rounds, seconds, warmUpSeconds, settle, naps, connections, shapes } = options;
  const results = {
    machine: { ...machine, othersShare: othersShare() },
    method: { rounds, seconds, warmUpSeconds, settle, naps, connections, shapes: shapes.map(({ name }) => name) },
    ...found,
  };
  const names = contestants.map(({ name }) => name);
  console.log(tables(results, names, options));
  if (options.json !== undefined) await writeFile(options.json, asJson(results));
  if (options["write-docs"]) publish(results);
  if (found.rows.some(({ failures }) => failures > 0))
    throw new GroundError("Some calls failed; see the last column of the medians.");
}

function tables({ rows, latenesses, settled, disks }, names, { shapes, connections, settle }) {
  const others = [...names.slice(1), ...(rows.some(({ contestant }) => contestant === LIMIT) ? [LIMIT] : [])];
  return [
    mediansTable(rows, [names[0], ...others], shapes, connections),
    ...others.flatMap((other) => [
      `**${names[0]} / ${other}**`,
      ratiosTable(rows, names[0], other, shapes, connections),
    ]),
    ...(latenesses.length > 0 ? [latenessTable(latenesses, [names[0], ...names.slice(1).toReversed()])] : []),
    disksTable(disks, names),
    ...(settle > 0 ? [afterwardsTable(settled, names, shapes)] : []),
  ].join("\n\n");
}

await runBench(readOptions, USAGE, compare);
