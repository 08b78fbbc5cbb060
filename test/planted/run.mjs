/**
 * `npm run test:planted -- [SUITE]... [--json]`: plants each mistake of the catalogue into the engine and says which suite catches it, and
 * in how long. It fails if one survives, no longer changes anything, or stands in no file; `ROTATION=3` plants the mistakes of one part.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { MISTAKES, SUITES } from "./catalogue.mjs";

const ROOT = join(import.meta.dirname, "../..");
const ROTATION = process.env.ROTATION ?? "all";
/** How the title of a test of a mistake begins. The other tests of the files are their controls. */
const CAUGHT = "caught: ";

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

/** @returns what vitest reports of the suite's files with planted mistakes */
function reportOf(suite) {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-planted-"));
  const outputFile = join(folder, "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const paths = new Set(MISTAKES.filter((one) => one.suite === suite).map(({ file }) => file));
  const args = ["run", "--config", SUITES[suite], ...paths, "--reporter=json", `--outputFile=${outputFile}`];
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ROTATION },
  });
  try {
    return JSON.parse(readFileSync(outputFile, "utf8")).testResults;
  } catch (error) {
    throw new Error(`vitest ended with ${status}: ${error.message}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns a row for each mistake of the suite that was planted, and for each control that failed */
function rowsOf(suite) {
  const tests = reportOf(suite).flatMap(({ name, assertionResults }) =>
    assertionResults.map((one) => ({ file: relative(ROOT, name), ...one })),
  );
  const rows = MISTAKES.filter((one) => one.suite === suite).flatMap((mistake) => {
    const isOf = ({ file, fullName }) => file === mistake.file && fullName.trim() === CAUGHT + mistake.what;
    const found = tests.find(isOf);
    if (found === undefined && ROTATION !== "all") return [];
    const seconds = Math.round((found?.duration ?? 0) / 100) / 10;
    return [{ ...mistake, verdict: found === undefined ? "ABSENT" : verdictOf(found), seconds }];
  });
  const controls = tests
    .filter(({ fullName, status }) => !fullName.trim().startsWith(CAUGHT) && status !== "passed")
    .map(({ file, fullName }) => ({ suite, file, what: fullName.trim(), breaks: "", verdict: "CONTROL", seconds: 0 }));
  return [...rows, ...controls];
}

function verdictOf({ status, failureMessages = [] }) {
  if (status === "passed") return "caught";
  return failureMessages.some((text) => text.includes("how often the mistake has changed")) ? "NO ACT" : "SURVIVES";
}

/** @returns the rows of a suite; one that says so if the suite did not run */
function rowsOrFailure(suite) {
  try {
    return rowsOf(suite);
  } catch (error) {
    return [{ suite, file: "", what: error.message, breaks: "", verdict: "NOT RUN", seconds: 0 }];
  }
}

/** For `npm run prove`, which adds up what its parts played. */
function leaveFigures(rows) {
  const folder = process.env.STEPWELL_FIGURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const caught = rows.filter(({ verdict }) => verdict === "caught").length;
  const figures = { planted: rows.length, caught };
  writeFileSync(join(folder, `planted-${process.pid}.json`), `${JSON.stringify(figures)}\n`);
}

const { json, suites } = options();
const rows = [];
for (const suite of suites) {
  for (const row of rowsOrFailure(suite)) {
    rows.push(row);
    const { verdict, seconds, breaks, what } = row;
    if (!json)
      console.log(`${verdict.padEnd(8)} ${String(seconds).padStart(6)} s  ${suite.padEnd(17)} ${what} (${breaks})`);
  }
}
const failed = rows.filter(({ verdict }) => verdict !== "caught").length;
leaveFigures(rows);
if (json) console.log(JSON.stringify(rows, null, 2));
else console.log(`${rows.length - failed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 && rows.length > 0 ? 0 : 1);
