/** Turns a usage error into a failure, which programs get as JSON. Commander has already printed the error for people. */
import type { CommanderError } from "commander";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_USAGE } from "./exit-codes.ts";

/** Commander's code for an incomplete command. For this code, Commander shows the help and has no useful message. */
const HELP = "commander.help";

/** @param error its message is `error: <reason>`, with an optional suggestion on a second line */
export function usageFailure({ code, message }: CommanderError): CommandFailure {
  if (code === HELP) return new CommandFailure("A command is missing", { exitCode: EXIT_USAGE, fix: "See --help." });
  const [first, guess] = message.replace(/^error: /, "").split("\n");
  const fix = guess === undefined ? "See --help." : guess.replace(/^\((.*)\)$/, "$1");
  return new CommandFailure(first!, { exitCode: EXIT_USAGE, fix });
}
