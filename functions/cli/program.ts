/** The whole command line as one tree; help, completion and documentation are derived from it. */
import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { attachCommand } from "./commands/attach-command.ts";
import { awakeableCommands } from "./commands/awakeable-commands.ts";
import { callCommand, sendCommand } from "./commands/call-commands.ts";
import { completeCommand, completionCommand } from "./commands/completion-command.ts";
import { deploymentCommands } from "./commands/deployment-commands.ts";
import { devCommand, type DevRun } from "./commands/dev-command.ts";
import { exampleCommand } from "./commands/example-command.ts";
import { EXIT_CODES } from "./text/command-failure.ts";
import { explainCommand } from "./commands/explain-command.ts";
import { invocationCommands } from "./commands/invocation-commands.ts";
import { kafkaClusterCommands } from "./commands/kafka-cluster-commands.ts";
import { proxyCommand } from "./commands/proxy-command.ts";
import { ruleCommands } from "./commands/rule-commands.ts";
import { serviceCommands } from "./commands/service-commands.ts";
import { serverOptions } from "./http/session.ts";
import { sqlCommand } from "./commands/sql-command.ts";
import { statusCommand } from "./commands/status-command.ts";
import { stateCommands } from "./commands/state-commands.ts";
import { scheduleCommands } from "./commands/schedule-commands.ts";
import { subscriptionCommands } from "./commands/subscription-commands.ts";
import { uiCommand } from "./commands/ui-command.ts";

/** @param exitWith the function that ends the process; only `dev` calls it */
export function createProgram(runDev: DevRun, exitWith: (code: number) => void): Command {
  const program = new Command("stepwell")
    .description("Durable execution: handlers that survive crashes, called over HTTP.")
    .version(packageJson.config.version)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(see stepwell --help)")
    .addHelpText("after", exitCodesHelp)
    .configureOutput({ writeErr: (text) => void (wantsJson(program) || process.stderr.write(text)) })
    .exitOverride();
  for (const option of serverOptions()) program.addOption(option);
  const invoking = [callCommand(), sendCommand()];
  const commands = [
    devCommand(runDev, exitWith),
    statusCommand(),
    deploymentCommands(),
    serviceCommands(),
    invocationCommands(),
    stateCommands(),
    subscriptionCommands(),
    scheduleCommands(),
    kafkaClusterCommands(),
    ruleCommands(),
    ...invoking,
    attachCommand(),
    awakeableCommands(),
    sqlCommand(),
    uiCommand(),
    exampleCommand(),
    explainCommand(),
    proxyCommand(),
    completionCommand(),
  ];
  for (const command of commands) {
    inheritSettings(command, program, program.name());
    program.addCommand(command);
  }
  // `call` and `send` refuse excess arguments with a message of their own, so the parser must let such arguments pass.
  // This loop comes after `inheritSettings`, which overwrites the setting.
  for (const command of invoking) command.allowExcessArguments();
  program.addCommand(completeCommand(program), { hidden: true });
  return program;
}

/** Whether the output is JSON; valid as soon as the parser has seen the option. */
export function wantsJson(program: Command): boolean {
  return program.opts<{ json?: true }>().json === true;
}

/** Every subcommand inherits the program's handling of errors and help; the hint names the subcommand. */
function inheritSettings(command: Command, parent: Command, above: string): void {
  const written = `${above} ${command.name()}`;
  command.copyInheritedSettings(parent).showHelpAfterError(`(see ${written} --help)`);
  for (const child of command.commands) inheritSettings(child, command, written);
}

function exitCodesHelp(): string {
  return `\nExit codes:\n${EXIT_CODES.map(({ code, meaning }) => `  ${code}  ${meaning}`).join("\n")}`;
}
