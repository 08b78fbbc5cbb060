/** `stepwell completion`, which prints a completion script for a shell, and the hidden command that the script calls. */
import { Argument, Command, type Option } from "commander";

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

/** @param words the words after the program name; the last one is incomplete and may be empty */
export function candidates(program: Command, words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? "";
  const { command, valueOf, operands } = commandAt(program, words.slice(0, -1));
  const all = valueOf === undefined ? wordsOf(command, typed, operands) : (valueOf.argChoices ?? []);
  return all.filter((word) => word.startsWith(typed));
}

interface CompletionPoint {
  readonly command: Command;
  /** The option whose value is at the cursor. */
  readonly valueOf: Option | undefined;
  /** The number of words before the cursor that are neither options nor command names. */
  readonly operands: number;
}

function commandAt(program: Command, before: readonly string[]): CompletionPoint {
  let command = program;
  let operands = 0;
  for (let at = 0; at < before.length; at++) {
    const word = before[at]!;
    if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      if (option === undefined || !option.required) continue;
      at += 1;
      if (at === before.length) return { command, valueOf: option, operands };
    } else {
      const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (child === undefined) operands += 1;
      else command = child;
    }
  }
  return { command, valueOf: undefined, operands };
}

function wordsOf(command: Command, typed: string, operands: number): readonly string[] {
  if (typed.startsWith("-")) {
    return [
      ...optionsOf(command).filter(({ hidden }) => !hidden),
      command.createHelp().visibleOptions(command).at(-1),
    ].flatMap((option) => option?.long ?? []);
  }
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
  return names.length > 0 ? names : (command.registeredArguments[operands]?.argChoices ?? []);
}

/** The options of the command and of all its ancestors. */
function optionsOf(command: Command): readonly Option[] {
  return command.parent === null ? command.options : [...command.options, ...optionsOf(command.parent)];
}

/** Without a candidate, the shell completes file names. */
const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_stepwell() {
  local IFS=$'\\n'
  COMPREPLY=($(stepwell complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _stepwell stepwell`,
  zsh: `#compdef stepwell
_stepwell() {
  local -a found
  found=("\${(@f)$(stepwell complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _stepwell stepwell`,
  fish: `function __stepwell
  set -l words (commandline -opc) (commandline -ct)
  stepwell complete -- $words[2..-1] 2>/dev/null
end
complete -c stepwell -a "(__stepwell)"`,
};
