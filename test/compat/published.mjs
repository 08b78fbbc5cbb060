/** Writes docs/performance.md and docs/performance.json: the page, and every measurement behind it as one line of a table. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./ground.mjs";
import { performancePage } from "./performance-page.mjs";

const COLUMNS = (
  "contestant round shape connections calls failures callsPerSecond endedPerSecond " +
  "p50Ms p99Ms serverCpu deploymentCpu residentMb deploymentMb"
).split(" ");

/**
 * @param results of a whole run
 * @param shapes in the order of the page
 */
export function publish(results, shapes) {
  const { rows, ...rest } = results;
  const values = rows.map((row) => COLUMNS.map((column) => row[column] ?? null));
  const json = join(ROOT, "docs/performance.json");
  writeFileSync(json, asJson({ ...rest, measurements: { columns: COLUMNS, values } }));
  // One line per measurement, as the repository's formatter leaves it.
  execFileSync(join(ROOT, "node_modules/.bin/oxfmt"), [json], { stdio: "ignore" });
  writeFileSync(join(ROOT, "docs/performance.md"), performancePage(results, shapes));
}

/** Four digits: further ones are noise. */
export function asJson(results) {
  const rounded = (_key, value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value);
  return `${JSON.stringify(results, rounded, 2)}\n`;
}
