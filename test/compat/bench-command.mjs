/**
 * The shared part of the bench commands: it reads options, cleans up however a command ends, and reports missing prerequisites.
 */
import { parseArgs } from "node:util";
import { GroundError } from "./ground.mjs";
import { stopDownTo } from "./rounds.mjs";

/**
 * @param options the options of the command, as `parseArgs` takes them
 * @param sizes the defaults of a whole run and of one with `--quick`
 * @returns the given values, and the values with the defaults filled in
 * @throws GroundError, with the usage, for an unknown option
 */
export function parseOptions(args, options, { full, quick }, usage) {
  try {
    const { values } = parseArgs({ args, options });
    return { values, filled: { ...(values.quick ? quick : full), ...values } };
  } catch (error) {
    throw new GroundError(`${error.message}\n\n${usage}`);
  }
}

/** @throws GroundError, with the usage, if the text is not a whole number of at least `least` */
export function wholeNumber(name, text, least, usage) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) throw new GroundError(`--${name} cannot be ${text}\n\n${usage}`);
  return number;
}

/**
 * Runs the bench and sets the exit code of the process.
 * @param work a function that gets the options and a stack of functions; the functions of the stack stop the started processes
 * and remove the directory, and they run in reverse order, however the bench ends
 */
export async function runBench(readOptions, usage, work) {
  const stops = [];
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void stopDownTo(stops, 0).finally(() => process.exit(1)));
  }
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.help) console.log(usage);
    else await work(options, stops);
  } catch (error) {
    if (!(error instanceof GroundError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await stopDownTo(stops, 0);
  }
}
