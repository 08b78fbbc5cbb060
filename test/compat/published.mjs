/** Writes docs/performance.md, its charts, and the two files that have every measurement behind the page. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./ground.mjs";
import { SERIES } from "./growth-report.mjs";
import { performancePage } from "./performance-page.mjs";

const COLUMNS = (
  "contestant round shape connections calls failures callsPerSecond endedPerSecond " +
  "p50Ms p99Ms serverCpu deploymentCpu residentMb deploymentMb"
).split(" ");

const DOCS = join(ROOT, "docs");

/** @param results the results of a whole run of the comparison */
export function publish(results) {
  const { rows, ...rest } = results;
  const values = rows.map((row) => COLUMNS.map((column) => row[column] ?? null));
  writeJson("performance.json", { ...rest, measurements: { columns: COLUMNS, values } });
  writePage();
}

/** @param results the results of a run of the growth bench */
export async function publishGrowth(results) {
  writeJson("performance-growth.json", results);
  // Only the charts need the package that draws them.
  const { growthChart } = await import("./growth-chart.mjs");
  const { steps } = readJson("performance-growth.json");
  for (const series of SERIES) writeFileSync(join(DOCS, series.chart), await growthChart(steps, series));
  writePage();
}

/** Makes the page from the published figures alone, so that `publish` keeps the figures of `publishGrowth`, and vice versa. */
function writePage() {
  writeFileSync(join(DOCS, "performance.md"), publishedPage());
}

/** @returns the text of docs/performance.md that follows from the published figures */
export function publishedPage() {
  const { measurements, ...rest } = readJson("performance.json");
  const rows = measurements.values.map((cells) =>
    Object.fromEntries(measurements.columns.map((column, at) => [column, cells[at] ?? undefined])),
  );
  const growth = existsSync(join(DOCS, "performance-growth.json")) ? readJson("performance-growth.json") : undefined;
  return performancePage({ ...rest, rows }, growth);
}

function writeJson(name, results) {
  const path = join(DOCS, name);
  writeFileSync(path, asJson(results));
  // One line per measurement, as the repository's formatter leaves it.
  execFileSync(join(ROOT, "node_modules/.bin/oxfmt"), [path], { stdio: "ignore" });
}

function readJson(name) {
  return JSON.parse(readFileSync(join(DOCS, name), "utf8"));
}

/** Four digits: further ones are noise. */
export function asJson(results) {
  const rounded = (_key, value) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, rounded, 2)}\n`;
}
