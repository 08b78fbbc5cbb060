#!/usr/bin/env node
/** The stepwell command: parses the command line, runs the command, and ends with one of the exit codes. */
import { CommanderError } from "commander";
import {
  CommandFailure,
  EXIT_OK,
  EXIT_REFUSED,
  EXIT_USAGE,
  failureText,
  usageFailure,
} from "./text/command-failure.ts";
import type { DevRun } from "./commands/dev-command.ts";
import { createProgram, wantsJson } from "./program.ts";
import { foreignJson } from "./text/visible-text.ts";

/** Loaded on demand, because the control plane would slow down every other command. */
const runDev: DevRun = async (options) => (await import("../local/dev.ts")).runDev(options);

// Everything is closed when `dev` returns; a leftover timer must not keep the process alive.
const program = createProgram(runDev, (code) => process.exit(code));

// A reader such as `head` closes the pipe once it has enough; that is a success.
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  process.exit(error.code === "EPIPE" ? EXIT_OK : EXIT_REFUSED),
);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed help, version or the error for people.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_OK;
    if (wantsJson(program)) report(usageFailure(error));
    return EXIT_USAGE;
  }
  if (error instanceof CommandFailure) {
    report(error);
    return error.text.exitCode;
  }
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  return EXIT_REFUSED;
}

/** The JSON of a failure escapes control characters at a terminal, because the server may have chosen its texts. */
function report(failure: CommandFailure): void {
  const isJson = wantsJson(program);
  const text = failureText(failure, isJson);
  console.error(isJson && process.stderr.isTTY ? foreignJson(text) : text);
}
