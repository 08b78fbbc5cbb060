/** Writes docs/cli.md from the tree of commands. */
import type { Argument, Command, Option } from "commander";
import { EXIT_CODES } from "../../functions/cli/text/command-failure.ts";
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
  terminal, \`--yes\` or \`--dry-run\`, and otherwise ends with exit code 4. It changes at most 10,000 invocations at a time, and prints the command that goes on; \`restart\`
  refuses filters that match more, because what it restarted still matches. It ends with exit code 1 if the server refused some of them, or
  left some without an answer; it prints the reason of each refusal.
- **Values.** \`--data\` takes JSON; a text needs its quotes: \`--data '"Ada"'\`. \`--data @file\` reads a file, \`--data -\` standard input.
- **Programs.** With \`--json\` standard output holds the result and nothing else, and an error is an object on standard error:
  \`{"error": {"code", "message", "cause", "fix", "exit_code"}}\`. Colours and progress appear on a terminal only;
  \`NO_COLOR\` turns colours off.
- **Headers.** The command never shows values of the headers of a deployment.
- **Completion.** \`source <(stepwell completion bash)\`, and in the same way for \`zsh\` and \`fish\`.

## Examples

\`\`\`sh
stepwell dev --register 9080                                        # a control plane for the handlers at this port
stepwell call greeter/greet --data '"Ada"'                          # waits for the result; send does not wait
stepwell invocations list --status paused --status backing-off      # what is stuck
stepwell invocations describe <id>                                  # what it waits for, its last failure, what to do
stepwell invocations resume --service checkout --dry-run            # which would be resumed; without --dry-run it asks, and does it
stepwell state get counter ada                                      # the state of a key
stepwell sql "select target_service_name, status, count(*) as n from sys_invocation where status != 'completed' group by target_service_name, status"
stepwell invocations list --status paused --json | jq -r '.invocations[].id'
stepwell deployments list --json | jq '.deployments[] | {id, uri}'
\`\`\`

With \`--json\` a list is an object, with the list under the plural of what it lists. [What is stuck, and why](guides/what-is-stuck.md) has more statements.
`;

const FILTERS = `
## Filters

These options select many invocations, and say what happens to them; each command below names the ones that it takes.
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
    FILTERS,
    "| Option | Meaning |\n| --- | --- |",
    ...[...sharedFilters(program)].map(([flags, meaning]) => `| \`${flags}\` | ${meaning} |`),
    ...visible(program).flatMap((command) => sections(command, "stepwell", sharedFilters(program))),
    "",
  ].join("\n");
}

function visible(command: Command): readonly Command[] {
  const known = command.createHelp().visibleCommands(command);
  return known.filter((one) => one.name() !== "help");
}

/** An option of one of the commands that take filters, as all of them have it. */
const NAMES_A_FILTER = "--older-than";
const DEFAULT = / \(default: ([^)]+)\)/;

/** The flags and the meaning of each option that at least two commands with filters have in common. */
function sharedFilters(program: Command): ReadonlyMap<string, string> {
  const all = visible(program).flatMap((command) => [command, ...visible(command)]);
  const filtered = all.filter(({ options }) => options.some(({ long }) => long === NAMES_A_FILTER));
  const counts = new Map<string, { readonly flags: string; readonly meaning: string; times: number }>();
  for (const option of filtered.flatMap((command) => visibleOptions(command))) {
    const meaning = meaningOf(option).replace(DEFAULT, "");
    const known = counts.get(`${option.flags} ${meaning}`) ?? { flags: option.flags, meaning, times: 0 };
    known.times += 1;
    counts.set(`${option.flags} ${meaning}`, known);
  }
  const shared = [...counts.values()].filter(({ times }) => times > 1);
  return new Map(shared.map(({ flags, meaning }) => [flags, meaning]));
}

function visibleOptions(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help");
}

function sections(command: Command, above: string, filters: ReadonlyMap<string, string>): readonly string[] {
  const name = `${above} ${command.name()}`;
  const children = visible(command);
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.join(", ")}.`;
  if (children.length > 0) {
    return [
      `\n## ${name}\n\n${command.description()}${also}`,
      ...children.flatMap((child) => sections(child, name, filters)),
    ];
  }
  const words = command.registeredArguments.map(written);
  const level = above === "stepwell" ? "##" : "###";
  const options = visibleOptions(command);
  const isFilter = (option: Option): boolean => filters.get(option.flags) === meaningOf(option).replace(DEFAULT, "");
  return [
    `\n${level} ${[name, ...words].join(" ")}\n\n${command.description()}${also}`,
    ...command.registeredArguments.flatMap(argumentLine),
    optionTable(options.filter((option) => !isFilter(option))),
    filterLine(options.filter(isFilter)),
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
  const rows = options.map((option) => `| \`${option.flags}\` | ${meaningOf(option)} |`);
  return ["\n| Option | Meaning |", "| --- | --- |", ...rows].join("\n");
}

function filterLine(options: readonly Option[]): string {
  if (options.length === 0) return "";
  const names = options.map((option) => {
    const [, fallback] = DEFAULT.exec(option.description) ?? [];
    return `\`${option.long}\`${fallback === undefined ? "" : ` (default: \`${fallback}\`)`}`;
  });
  return `\n[Filters](#filters): ${names.join(", ")}.`;
}

function meaningOf(option: Option): string {
  return `${option.description}${choices(option)}${defaults(option)}`;
}

function choices({ argChoices }: Option): string {
  return argChoices === undefined ? "" : `: ${argChoices.map((one) => `\`${one}\``).join(", ")}`;
}

function defaults({ defaultValue, envVar }: Option): string {
  const known = typeof defaultValue === "string" || typeof defaultValue === "number";
  return `${known ? `; default \`${defaultValue}\`` : ""}${envVar === undefined ? "" : `; \`${envVar}\``}`;
}
