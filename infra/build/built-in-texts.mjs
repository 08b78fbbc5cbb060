/** The texts that every build of the product includes: the program that evaluates statements, and the web UI. */
import { statementInputs, statementProgram } from "./statement-program.mjs";
import { uiFiles, uiInputs } from "./ui-files.mjs";

/** @returns esbuild's `define` entries for a build: by name, each value a JavaScript expression */
export async function builtInTexts() {
  const [program, ui] = await Promise.all([statementProgram(), uiFiles()]);
  return { ...program, ...ui };
}

/** @returns the inputs of the builds of all these texts, as esbuild's metafile has them */
export async function builtInInputs() {
  const [program, ui] = await Promise.all([statementInputs(), uiInputs()]);
  return { ...program, ...ui };
}
