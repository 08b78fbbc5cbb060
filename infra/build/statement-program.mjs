/** Bundles the program that evaluates statements. Every build of the product includes the bundled program as text. */
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");

/** @returns the inputs of the program's own build, as esbuild's metafile has them, for the list of bundled packages */
export async function statementInputs() {
  const { metafile } = await built({ metafile: true });
  return Object.values(metafile.outputs)[0].inputs;
}

/** @returns the entries of esbuild's option `define` for a build; each value is a JavaScript expression */
export async function statementProgram() {
  const { outputFiles } = await built({});
  return { STATEMENT_PROGRAM: JSON.stringify(outputFiles[0].text) };
}

async function built(more) {
  return await build({
    ...more,
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
    write: false,
    logLevel: "warning",
  });
}
