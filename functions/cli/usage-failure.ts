/** A command line that was not understood, as the failure that programs read; a person has been told already. */
import type { CommanderError } from "commander";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_USAGE } from "./exit-codes.ts";

/** Help was asked for by saying too little: its text is no message. */
const HELP = "commander.help";

/** @param error its message is `error: what is wrong`, and perhaps a guess at what was meant in a line of its own */
export function usageFailure({ code, message }: CommanderError): CommandFailure {
  if (code === HELP) return new CommandFailure("A command is missing", { exitCode: EXIT_USAGE, fix: "See --help." });
  const [first, guess] = message.replace(/^error: /, "").split("\n");
  const fix = guess === undefined ? "See --help." : guess.replace(/^\((.*)\)$/, "$1");
  return new CommandFailure(first!, { exitCode: EXIT_USAGE, fix });
}
