/** Bundles the web UI. Every build of the product includes the bundled files as one text. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
const TYPES = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const GZIP_LEVEL = 9;
/** The name of a built file: its stem, and the hash of its contents in capitals. */
const HASH = /^(.+)-[A-Z0-9]{8}\.[a-z]+$/;
/** The icon of the tab, and those that tell the state of an invocation. */
const ICONS = ["icon", "icon-failed", "icon-held", "icon-running", "icon-succeeded"];

/** @returns the inputs of the UI's build, as esbuild's metafile has them, for the list of bundled packages */
export async function uiInputs() {
  const { metafile } = await built();
  return Object.assign({}, ...Object.values(metafile.outputs).map(({ inputs }) => inputs));
}

/** @returns esbuild's `define` entry for a build: the files by name, each with its type and its gzipped bytes in base64 */
export async function uiFiles() {
  const files = await compressedFiles();
  const texts = files.map(({ name, type, gzip }) => [name, { type, gzip: gzip.toString("base64") }]);
  return { UI_FILES: JSON.stringify(JSON.stringify(Object.fromEntries(texts))) };
}

/** @returns `{ name, type, gzip }` of each file, the page first */
export async function compressedFiles() {
  const { outputFiles } = await built();
  const outputs = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const page = { name: "index.html", contents: Buffer.from(pageWith(outputs.map(({ name }) => name))) };
  return [page, ...outputs].map(({ name, contents }) => ({
    name,
    type: `${TYPES[name.split(".").at(-1)] ?? "text/html"}; charset=utf-8`,
    gzip: gzipSync(contents, { level: GZIP_LEVEL }),
  }));
}

function pageWith(names) {
  const hashed = (stem, ending) => names.find((name) => HASH.exec(name)?.[1] === stem && name.endsWith(ending));
  return readFileSync(join(ROOT, "ui/index.html"), "utf8")
    .replace("main.tsx", hashed("main", ".js"))
    .replace("style.css", hashed("style", ".css"))
    .replaceAll(/icon(?:-[a-z]+)?(?=\.svg)/g, (stem) => hashed(stem, ".svg").slice(0, -".svg".length));
}

/** The prices by which the page of an invocation multiplies the write units, exchanges and GB-seconds of the invocation. */
function listPrices() {
  const { region, compiledOn, prices } = JSON.parse(readFileSync(join(ROOT, "docs/prices.json"), "utf8"));
  const one = ({ usd, per }) => usd / per;
  return {
    region,
    compiledOn,
    writeUnitUsd: one(prices.writeUnit),
    functionCallUsd: one(prices.functionCall),
    functionGbSecondUsd: one(prices.functionGbSecond),
  };
}

async function built() {
  return await build({
    absWorkingDir: ROOT,
    entryPoints: ["ui/app/main.tsx", "ui/style/style.css", ...ICONS.map((name) => `ui/style/${name}.svg`)],
    outdir: "ui-files",
    entryNames: "[name]-[hash]",
    chunkNames: "chunk-[hash]",
    loader: { ".svg": "copy" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    // The licenses of all bundled packages are in a file beside the program.
    legalComments: "none",
    define: { LIST_PRICES: JSON.stringify(listPrices()) },
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}
