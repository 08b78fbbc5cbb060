/** Bundles the program that evaluates statements, for the text by which the product holds it, whatever it is built into. */
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** @returns the inputs of the program's own build, as esbuild's metafile has them, for whoever lists what is given out */
export async function statementInputs() {
  const { metafile } = await built({ metafile: true });
  return Object.values(metafile.outputs)[0].inputs;
}

/** @returns what a build has to define, by name, each value as an expression of JavaScript */
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
