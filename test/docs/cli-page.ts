/** Writes docs/cli.md from the tree of commands. */
import type { Argument, Command, Option } from "commander";
import { EXIT_CODES } from "../../functions/cli/exit-codes.ts";
import { createProgram } from "../../functions/cli/program.ts";

const OPENING = `# The command line

Every command of \`stepwell\`. This page is written by \`npm run docs\` from \`functions/cli\`.

- **Which server.** \`--admin-url\` and \`--ingress-url\`, before or after the name of the command, or the environment variables
  named below. Reach an admin API behind IAM through \`stepwell proxy\`.
- **Questions.** A command that changes something on the server shows the change and asks for confirmation. \`--yes\` confirms. Without a
  terminal and without \`--yes\` the command changes nothing and ends with exit code 4. \`call\`, \`send\` and \`awakeable\` act
  without a question, because a program calls handlers without a question too.
- **Many invocations.** \`cancel\`, \`kill\`, \`pause\`, \`resume\`, \`purge\` and \`restart\` take ids, or filters, which select all invocations
  that match: \`stepwell invocations kill --service ops --status paused\`. A filter takes one value and may be repeated. The command counts
  the invocations, shows the first twenty and asks once; \`--dry-run\` ends before the question. With filters the command requires a
  terminal, \`--yes\` or \`--dry-run\`, and otherwise ends with exit code 4. It changes at most 10,000 invocations at a time; \`restart\`
  refuses filters that match more, because what it restarted still matches. It ends with exit code 1 if the server refused some of them, or
  left some without an answer; it prints the reason of each refusal.
- **Values.** \`--data\` takes JSON; a text needs its quotes: \`--data '"Ada"'\`. \`--data @file\` reads a file, \`--data -\` standard input.
- **Programs.** With \`--json\` standard output holds the result and nothing else, and an error is an object on standard error:
  \`{"error": {"code", "message", "cause", "fix", "exit_code"}}\`. Colours and progress appear on a terminal only;
  \`NO_COLOR\` turns colours off.
- **Headers.** The command never shows values of the headers of a deployment.
- **Completion.** \`source <(stepwell completion bash)\`, and in the same way for \`zsh\` and \`fish\`.
`;

export function cliPage(): string {
  const program = createProgram(
    async () => 0,
    () => {},
  );
  const exits = EXIT_CODES.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return [
    OPENING,
    "## Exit codes\n",
    "| Code | Meaning |\n| --- | --- |",
    ...exits,
    "\n## Options of every command",
    optionTable(program.createHelp().visibleOptions(program)),
    ...visible(program).flatMap((command) => sections(command, "stepwell")),
    "",
  ].join("\n");
}

function visible(command: Command): readonly Command[] {
  const known = command.createHelp().visibleCommands(command);
  return known.filter((one) => one.name() !== "help");
}

function sections(command: Command, above: string): readonly string[] {
  const name = `${above} ${command.name()}`;
  const children = visible(command);
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.join(", ")}.`;
  if (children.length > 0) {
    return [`\n## ${name}\n\n${command.description()}${also}`, ...children.flatMap((child) => sections(child, name))];
  }
  const words = command.registeredArguments.map(written);
  const level = above === "stepwell" ? "##" : "###";
  const options = command.createHelp().visibleOptions(command);
  return [
    `\n${level} ${[name, ...words].join(" ")}\n\n${command.description()}${also}`,
    ...command.registeredArguments.flatMap(argumentLine),
    optionTable(options.filter(({ long }) => long !== "--help")),
  ].filter((part) => part !== "");
}

function written(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentLine(argument: Argument): readonly string[] {
  const choices =
    argument.argChoices === undefined ? "" : `: ${argument.argChoices.map((one) => `\`${one}\``).join(", ")}`;
  return argument.description === "" ? [] : [`\n\`${argument.name()}\`: ${argument.description}${choices}`];
}

function optionTable(options: readonly Option[]): string {
  if (options.length === 0) return "";
  const rows = options.map(
    (option) => `| \`${option.flags}\` | ${option.description}${choices(option)}${defaults(option)} |`,
  );
  return ["\n| Option | Meaning |", "| --- | --- |", ...rows].join("\n");
}

function choices({ argChoices }: Option): string {
  return argChoices === undefined ? "" : `: ${argChoices.map((one) => `\`${one}\``).join(", ")}`;
}

function defaults({ defaultValue, envVar }: Option): string {
  const known = typeof defaultValue === "string" || typeof defaultValue === "number";
  return `${known ? `; default \`${defaultValue}\`` : ""}${envVar === undefined ? "" : `; \`${envVar}\``}`;
}
