#!/usr/bin/env node
/** The stepwell command. Exit codes: 0 all went well, 1 a failure, 2 a wrong use, 3 the process refused to start. */
import { Command, CommanderError } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { devCommand } from "./dev-command.ts";
import type { DevRun } from "./dev-command.ts";

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Loaded on demand, so that no other command pays for the whole control plane. */
const runDev: DevRun = async (options) => (await import("../local/dev.ts")).runDev(options);

const program = new Command("stepwell")
  .description("Durable execution: handlers that survive crashes, called over HTTP.")
  .version(packageJson.version)
  .showHelpAfterError("(see stepwell --help)")
  .exitOverride();
// All is closed when `dev` returns; a timer that nobody waits for must not keep the process.
program.addCommand(devCommand(runDev, (code) => process.exit(code)).copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  // The command line has been answered already: with help, with the version, or with what was wrong.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exitCode = EXIT_FAILURE;
  }
}
