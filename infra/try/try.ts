/** `npm run try`: parses the command line, runs the trial or the clean-up, and ends with one of the exit codes. */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { CommandFailure, failureText } from "../../functions/cli/text/command-failure.ts";
import { openTerminal } from "../../functions/cli/text/terminal.ts";
import { awsFailure } from "./aws-failure.ts";
import { clearUp } from "./clear-up.ts";
import { EXIT_CODES, EXIT_NOT_TRIED, EXIT_OK, EXIT_USAGE } from "./exit-codes.ts";
import { setStage, type TryFlags } from "./stage.ts";
import type { Tools } from "./tools.ts";
import { tryIt } from "./try-it.ts";

const NAME = /^[A-Za-z][A-Za-z0-9-]{0,40}$/;

/** @param argv the arguments of a process @returns the exit code */
export async function main(argv: readonly string[], tools: Tools): Promise<number> {
  const program = tryProgram();
  try {
    program.parse(argv);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    throw error;
  }
  const flags = program.opts<TryFlags>();
  try {
    const stage = await setStage(flags, tools, openTerminal());
    return await (flags.destroy === true ? clearUp(stage) : tryIt(stage));
  } catch (error) {
    const failure = error instanceof CommandFailure ? error : awsFailure("It could not be tried", error);
    console.error(failureText(failure, flags.json === true));
    return failure.text.exitCode ?? EXIT_NOT_TRIED;
  }
}

function tryProgram(): Command {
  return new Command("npm run try --")
    .description(
      "Deploys Stepwell with an example to an account of AWS, makes a smoke test over HTTPS, and destroys it all.",
    )
    .option("-y, --yes", "deploy without asking for confirmation")
    .option("--keep", "keep the stack, so that you can look at it")
    .option("--destroy", "destroy the stack of a kept or interrupted run, and do nothing else")
    .option("--json", "write the result and errors as JSON")
    .option("--profile <name>", "the profile of the AWS configuration (default: AWS_PROFILE)")
    .option("--region <region>", "the Region of the stack (default: AWS_REGION, or that of the profile)")
    .option(
      "--name <name>",
      "the name of the stack (default: StepwellTry with the name of your user or session)",
      stackName,
    )
    .addHelpText("after", `\nExit codes:\n${EXIT_CODES.map(({ code, meaning }) => `  ${code}  ${meaning}`).join("\n")}`)
    .showHelpAfterError("(see npm run try -- --help)")
    .allowExcessArguments(false)
    .exitOverride();
}

function stackName(written: string): string {
  if (!NAME.test(written))
    throw new InvalidArgumentError("It begins with a letter and has at most 41 letters, digits and hyphens.");
  return written;
}
