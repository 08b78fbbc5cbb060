/**
 * `npm run test:planted -- [SUITE]... [--json]`: plants each mistake into the engine and says which suite catches it, and in how long. The
 * mistakes stand beside the suites, in files named `planted`; each wraps a port or a function of the engine. One that survives
 * fails, and so does one that no longer changes anything.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const SUITES = {
  seeds: "test/simulation/seeds/vitest.config.ts",
  "crash-points": "test/simulation/vitest.config.ts",
  histories: "test/histories/vitest.config.ts",
  specification: "test/specification/vitest.config.ts",
  "beside-reference": "test/beside-reference/vitest.config.ts",
};

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const unknown = positionals.find((name) => !(name in SUITES));
    if (unknown !== undefined)
      throw new Error(`there is no suite '${unknown}'; the suites are ${Object.keys(SUITES).join(", ")}`);
    return { json: values.json, suites: positionals.length > 0 ? positionals : Object.keys(SUITES) };
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** @returns a row for each mistake of the suite */
function mistakesOf(suite) {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-planted-"));
  const outputFile = join(folder, "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = ["run", "--config", SUITES[suite], "planted", "--reporter=json", `--outputFile=${outputFile}`];
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ROTATION: "all" },
  });
  try {
    const files = JSON.parse(readFileSync(outputFile, "utf8")).testResults;
    const rows = files.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, status: outcome, duration = 0 }) => ({
        suite,
        mistake: fullName.trim(),
        caught: outcome === "passed",
        seconds: Math.round(duration / 100) / 10,
      })),
    );
    const unloaded = files.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
    if (rows.length === 0 || unloaded.length > 0) throw new Error(`a file of ${suite} did not load`);
    return rows;
  } catch (error) {
    console.error(`${suite}: ${error.message}; vitest ended with ${status}`);
    return [{ suite, mistake: "(the suite did not run)", caught: false, seconds: 0 }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { json, suites } = options();
const rows = [];
for (const suite of suites) {
  for (const row of mistakesOf(suite)) {
    rows.push(row);
    if (!json)
      console.log(
        `${row.caught ? "caught  " : "SURVIVES"} ${String(row.seconds).padStart(6)} s  ${row.suite.padEnd(17)} ${row.mistake}`,
      );
  }
}
const survivors = rows.filter(({ caught }) => !caught).length;
if (json) console.log(JSON.stringify(rows, null, 2));
else console.log(`${rows.length - survivors} passed, ${survivors} failed, 0 skipped`);
process.exit(survivors === 0 ? 0 : 1);
