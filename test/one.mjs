/** Runs one test file, one seed, one crash point or one attack: `npm run one -- seed 17`. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

const HELP = `npm run one -- <kind> <which>

  test <file> [title]               one file of tests, or its tests whose titles contain the text
  seed <number>                     one seed of the simulation, with its trace
  crash-point <ownership/scenario>  each crash point of a scenario: 'shared-table/one run'
  crash-point <path>                one crash point, as a failure prints it: 'shared-table/one run/3/before'
  attack <name>                     one attack: A3`;

const SEEDS = "test/simulation/seeds";
const CRASH_POINTS = "test/simulation/crash-points";

/** By kind: the folder whose configuration of vitest runs it, vitest's further words, and variables; undefined without a target. */
const KINDS = {
  test: ([file, title]) =>
    file && { folder: dirname(file), words: [file, ...(title === undefined ? [] : ["-t", literal(title)])] },
  seed: ([number]) =>
    number && { folder: SEEDS, words: [`${SEEDS}/seeds-${number % 2 === 0 ? "even" : "odd"}`], env: { SEED: number } },
  "crash-point": ([path]) => {
    const [ownership, scenario] = (path ?? "").split("/");
    return (
      scenario && { folder: CRASH_POINTS, words: pointFiles(ownership), env: { CRASH_POINT: path, ROTATION: "all" } }
    );
  },
  attack: ([name]) =>
    name && { folder: "test/attacks", words: ["test/attacks/attacks.test.ts", "-t", `^${literal(name)}:`] },
};

/** A title as the expression that vitest takes. */
function literal(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The files that break the calls of scenarios under this ownership. */
function pointFiles(ownership) {
  const files = readdirSync(CRASH_POINTS, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  const paths = files.map((name) => `${CRASH_POINTS}/${name}`);
  return paths.filter((path) => readFileSync(path, "utf8").includes(`coverageTests("${ownership}"`));
}

/** The nearest configuration of vitest above a folder. */
function configOf(folder) {
  const file = folder === "." ? "vitest.config.ts" : `${folder}/vitest.config.ts`;
  return folder === "." || existsSync(file) ? file : configOf(dirname(folder));
}

process.chdir(`${import.meta.dirname}/..`);
const [kind = "", ...which] = process.argv.slice(2);
const run = Object.hasOwn(KINDS, kind) ? KINDS[kind](which) : undefined;
if (!run) {
  console.error(HELP);
  process.exit(2);
}
const words = ["vitest", "run", "--config", configOf(run.folder), ...run.words];
const { status } = spawnSync("npx", words, { stdio: "inherit", env: { ...process.env, ...run.env } });
process.exitCode = status ?? 1;
