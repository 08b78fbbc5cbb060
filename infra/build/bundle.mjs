/** Bundles each Lambda function into one file, because the packages of the Lambda runtime are older and slower. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { buildTexts } from "./built-in-texts.mjs";
import { bundledPackages, LICENSES_FILE, licensesText } from "./bundled-packages.mjs";

/** A bundle that includes one of these source files contains the statement program or the web UI as a text. */
const BUILT_IN_SOURCES = ["shared/wiring/statement-evaluation.ts", "shared/wiring/built-in-ui.ts"];
const ROOT = join(import.meta.dirname, "../..");
export const FUNCTIONS_FOLDER = join(ROOT, ".cache/functions");
const FUNCTIONS = ["ingress", "admin", "worker", "sweeper", "topics", "keys", "registrar"];

/** Defines `require` in the bundle, because some packages still call it and an ES module has none. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** @returns {Readonly<Record<string, string>>} the source files of the product's functions */
export function productEntries() {
  return Object.fromEntries(FUNCTIONS.map((name) => [name, `functions/${name}/lambda.ts`]));
}

/**
 * Bundles each entry, and prints its size to standard error, because standard output belongs to the CDK.
 * @param {Readonly<Record<string, string>>} entries source files by the name of their function
 * @param {string} folder emptied first; gets `<name>/index.mjs` for each entry, with the licenses of its packages beside it
 * @param {{ readonly quiet?: boolean }} [options] quiet prints nothing
 * @returns {Promise<import("esbuild").Metafile>} of the build
 */
export async function bundleFunctions(entries, folder, { quiet = false } = {}) {
  rmSync(folder, { recursive: true, force: true });
  const { define, inputs: texts } = await buildTexts();
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(entries).map(([name, entry]) => ({ in: entry, out: `${name}/index` })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: REQUIRE },
    define,
    // Few packages have license comments. The file beside each bundle contains all licenses.
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    if (BUILT_IN_SOURCES.some((source) => source in inputs)) Object.assign(inputs, { ...texts, ...inputs });
    const text = licensesText(bundledPackages(metafile, ROOT, [output]));
    writeFileSync(join(ROOT, dirname(output), LICENSES_FILE), text);
  }
  if (quiet) return metafile;
  for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
    const packed = gzipSync(readFileSync(join(ROOT, file))).length;
    console.error(`${file.padEnd(40)} ${kilobytes(bytes)}, packed ${kilobytes(packed)}`);
  }
  return metafile;
}

function kilobytes(bytes) {
  return `${String(Math.ceil(bytes / 1024)).padStart(5)} KB`;
}
