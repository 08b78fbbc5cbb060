/** Bundles the product, the neighbour, the attacker, the reader and the engine of bombs once, and prints the figures of all attacks at the end. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
/** Below `node_modules`, so that a bundle finds its packages there. */
const CACHE = join(ROOT, "node_modules/.cache");
const COLUMNS = [
  ["attack", ({ attack }) => attack],
  ["direct p50/max ms", ({ direct }) => waitsText(direct)],
  ["queued p50/max ms", ({ queued }) => waitsText(queued)],
  ["health max ms", ({ health }) => waitText(health.maxMs)],
  ["RSS peak MB", ({ rssPeakMb }) => String(rssPeakMb)],
  ["slowness", ({ slowness }) => slowness.toFixed(1)],
  ["stop ms", ({ stopMs }) => (stopMs === null ? "never" : String(stopMs))],
  ["failed", ({ direct, queued }) => String(direct.failed + queued.failed)],
  ["not found", ({ lost }) => String(lost)],
  ["not done", ({ undone }) => String(undone)],
  ["", ({ died, complaints }) => (died ? "DIED" : complaints.length === 0 ? "held" : "did not hold")],
];

const waitText = (ms) => (ms === null ? "-" : String(ms));
const waitsText = ({ p50Ms, maxMs }) => `${waitText(p50Ms)}/${waitText(maxMs)}`;

export async function setup({ provide }) {
  mkdirSync(CACHE, { recursive: true });
  const dir = mkdtempSync(join(CACHE, "stepwell-attacks-"));
  const product = join(dir, "product");
  execFileSync(process.execPath, [join(ROOT, "build.mjs"), product], { stdio: ["ignore", "ignore", "inherit"] });
  await build({
    entryPoints: ["neighbour-deployment", "attacker", "bomb-worker", "bomb-engine", "large-deployment"].map((name) =>
      join(import.meta.dirname, `${name}.ts`),
    ),
    outdir: dir,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    sourcemap: true,
    logLevel: "error",
  });
  const rowsPath = join(dir, "rows.jsonl");
  provide("workshop", { dir, command: join(product, "stepwell.js"), rowsPath });
  return () => {
    const rows = existsSync(rowsPath) ? readFileSync(rowsPath, "utf8").trim().split("\n").map(JSON.parse) : [];
    report(rows);
    rmSync(dir, { recursive: true, force: true });
  };
}

/** Prints the figures as a table. If STEPWELL_ATTACKS_FIGURES names a file, also writes all of them there as JSON. */
function report(rows) {
  const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, textOf]) => textOf(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  console.log(`\n${lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at])).join("  ")).join("\n")}\n`);
  for (const { attack, notes } of rows) {
    if (Object.keys(notes).length > 0) console.log(`${attack}: ${JSON.stringify(notes)}`);
  }
  const file = process.env.STEPWELL_ATTACKS_FIGURES;
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
}
