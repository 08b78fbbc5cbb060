/** `stepwell completion`, which prints a completion script for a shell, and the hidden command that the script calls. */
import { Argument, Command } from "commander";
import { COMPLETION_SCRIPTS, candidates } from "./completion.ts";

export function completionCommand(): Command {
  const shells = Object.keys(COMPLETION_SCRIPTS);
  return new Command("completion")
    .description("Print a completion script for a shell; load it in the start-up file of the shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action((shell: string) => console.log(COMPLETION_SCRIPTS[shell]));
}

export function completeCommand(program: Command): Command {
  return new Command("complete").argument("[words...]").action((words: readonly string[]) => {
    for (const word of candidates(program, words)) console.log(word);
  });
}
