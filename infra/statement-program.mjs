/** Bundles the program that evaluates statements, for the text by which the product holds it, whatever it is built into. */
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** @returns what a build has to define, by name, each value as an expression of JavaScript */
export async function statementProgram() {
  const { outputFiles } = await build({
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
  return { STATEMENT_PROGRAM: JSON.stringify(outputFiles[0].text) };
}
