/** `count.mjs <reports folder> <log> <exit code>` prints how many tests of a suite passed, failed and were skipped. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [folder, log, exitCode] = process.argv.slice(2);

/** Counts a test file that did not load as one failure, because the report lists no tests for it. */
function countReport(report) {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const skipped = report.numPendingTests + report.numTodoTests;
  return [report.numPassedTests, report.numFailedTests + unloaded.length, skipped];
}

/** A suite that does not use vitest prints its counts in a line of this form. The last such line counts. */
function countLog(text) {
  const lines = [...text.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped\s*$/gm)];
  return lines.at(-1)?.slice(1, 4).map(Number);
}

function readCounts() {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    const reports = files.map((name) => countReport(JSON.parse(readFileSync(join(folder, name), "utf8"))));
    if (reports.length > 0) return reports.reduce((sum, counts) => sum.map((count, index) => count + counts[index]));
    return countLog(readFileSync(log, "utf8"));
  } catch {
    return undefined;
  }
}

const [passed, failed, skipped] = readCounts() ?? [0, 0, 0];
const ranNothing = passed + failed === 0;
const diedAfterwards = exitCode !== "0" && failed === 0;
console.log(passed, ranNothing || diedAfterwards ? failed + 1 : failed, skipped);
