/**
 * The texts that every build of the product includes: the program that evaluates statements, and the web UI with its files as
 * gzipped bytes.
 */
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

/** @returns esbuild's `define` entries for a build: by name, each value a JavaScript expression */
export async function builtInTexts() {
  return (await buildTexts()).define;
}

/**
 * @returns `define` as `builtInTexts` returns it, and `inputs`, the inputs of the builds of all these texts, as esbuild's metafile
 * has them
 */
export async function buildTexts() {
  const [program, ui] = await Promise.all([builtProgram(), builtUi()]);
  const texts = filesOf(ui).map(({ name, type, gzip }) => [name, { type, gzip: gzip.toString("base64") }]);
  const define = {
    ...programEntry(program),
    UI_FILES: JSON.stringify(JSON.stringify(Object.fromEntries(texts))),
  };
  const outputs = [program, ui].flatMap(({ metafile }) => Object.values(metafile.outputs));
  return { define, inputs: Object.assign({}, ...outputs.map(({ inputs }) => inputs)) };
}

/** @returns the `define` entry of the program that evaluates statements, for a build that serves no web UI */
export async function statementProgram() {
  return programEntry(await builtProgram());
}

/** @returns {{ STATEMENT_PROGRAM: string }} */
function programEntry({ outputFiles }) {
  return { STATEMENT_PROGRAM: JSON.stringify(outputFiles[0].text) };
}

/** @returns `{ name, type, gzip }` of each file of the web UI, the page first */
function filesOf({ outputFiles }) {
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

async function builtUi() {
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

async function builtProgram() {
  return await build({
    absWorkingDir: ROOT,
    entryPoints: ["shared/wiring/statement-program.ts"],
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    mainFields: ["module", "main"],
    legalComments: "eof",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}
