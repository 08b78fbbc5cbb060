#!/usr/bin/env node
/** The stepwell command: reads the command line, runs what it names, and ends with one of the exit codes. */
import { CommanderError } from "commander";
import { CommandFailure, failureText } from "./command-failure.ts";
import type { DevRun } from "./dev-command.ts";
import { EXIT_OK, EXIT_REFUSED, EXIT_USAGE } from "./exit-codes.ts";
import { createProgram, wantsJson } from "./program.ts";
import { usageFailure } from "./usage-failure.ts";

/** Loaded on demand, so that no other command pays for the whole control plane. */
const runDev: DevRun = async (options) => (await import("../local/dev.ts")).runDev(options);

// All is closed when `dev` returns; a timer that nobody waits for must not keep the process.
const program = createProgram(runDev, (code) => process.exit(code));

// Whoever reads only the beginning, as `head` does, has what it wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? EXIT_OK : EXIT_REFUSED),
);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // A person has been answered already: with help, with the version, or with what was wrong.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_OK;
    if (wantsJson(program)) console.error(failureText(usageFailure(error), true));
    return EXIT_USAGE;
  }
  if (error instanceof CommandFailure) {
    console.error(failureText(error, wantsJson(program)));
    return error.text.exitCode;
  }
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  return EXIT_REFUSED;
}
