/** Bundles the stepwell command and the examples into `dist`, or into the folder that the first argument names. */
import { existsSync, openSync, readSync, closeSync, readdirSync } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { build } from "esbuild";
import { bundledPackages, LICENSES_FILE, licensesText } from "./infra/build/bundled-packages.mjs";
import { buildTexts } from "./infra/build/built-in-texts.mjs";

const COMMAND = "functions/cli/stepwell.ts";
const TARGET = resolve(process.argv[2] ?? `${import.meta.dirname}/dist`);
const HASHBANG = "#!/usr/bin/env node";

/**
 * Packages stay in node_modules. Splitting puts code that is imported dynamically, such as the local process, into
 * chunks that the other commands do not load.
 */
const SHARED_OPTIONS = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  sourcemap: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
};

function opensWithHashbang(path) {
  const file = openSync(path, "r");
  const start = Buffer.alloc(2);
  readSync(file, start, 0, 2, 0);
  closeSync(file);
  return start.toString() === "#!";
}

/** An example is a folder whose entry bears its name: `examples/greeter/greeter.ts`. */
function exampleEntries() {
  const folders = readdirSync("examples", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => ({ in: `examples/${name}/${name}.ts`, out: name }))
    .filter((entry) => existsSync(entry.in));
}

async function buildCommand() {
  if (!existsSync(COMMAND)) return console.log(`skipped: ${COMMAND} is not there`);
  const banner = opensWithHashbang(COMMAND) ? {} : { js: HASHBANG };
  const { define, inputs } = await buildTexts();
  await build({ ...SHARED_OPTIONS, banner, define, entryPoints: [{ in: COMMAND, out: "stepwell" }], outdir: TARGET });
  await chmod(`${TARGET}/stepwell.js`, 0o755);
  // The statement program and the web UI are the parts of the command that bundle packages.
  const metafile = { outputs: { texts: { inputs } } };
  await writeFile(`${TARGET}/${LICENSES_FILE}`, licensesText(bundledPackages(metafile, import.meta.dirname)));
}

async function buildExamples() {
  const entryPoints = exampleEntries();
  if (entryPoints.length === 0) return console.log("skipped: no example is there");
  await build({ ...SHARED_OPTIONS, entryPoints, outdir: `${TARGET}/examples` });
}

process.chdir(import.meta.dirname);
await rm(TARGET, { recursive: true, force: true });
await Promise.all([buildCommand(), buildExamples()]);
