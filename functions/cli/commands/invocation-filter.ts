/** The filters of `stepwell invocations`: for its list, and for changes of all invocations that match. */
import { InvalidArgumentError, Option } from "commander";
import { OUTCOME_WORDS, STATUS_WORDS } from "../../../shared/api/wire/status-words.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_USAGE } from "../text/exit-codes.ts";

/** Each filter has the same name as its query parameter. */
const FILTERS = ["status", "service", "handler", "key", "deployment", "cause"] as const;

const OUTCOMES = new Set<string>(OUTCOME_WORDS);
const STATUS_CHOICES: readonly string[] = [...STATUS_WORDS, ...OUTCOME_WORDS];

export type InvocationFilter = Readonly<Partial<Record<(typeof FILTERS)[number], readonly string[]>>>;

/**
 * How a filter takes its values. `words`: all words up to the next option, for commands without ids. `repeated`: one
 * value, for commands that change invocations, where an id may follow the option; the option may be repeated.
 */
export type FilterForm = "words" | "repeated";

/** @param statuses the statuses that the command selects without the filter; all if absent */
export function filterOptions(form: FilterForm, statuses: readonly string[] = []): readonly Option[] {
  const unless = statuses.length === 0 ? "" : ` (default: ${statuses.join(", ")})`;
  const status = filterOption(
    form,
    "--status <status",
    `only invocations with one of these statuses or outcomes; \`open\` means all but completed${unless}`,
  );
  return [
    status.choices(STATUS_CHOICES).argParser(form === "words" ? addStatuses : unlessId(addStatuses)),
    filterOption(form, "--service <name", "only invocations of these services"),
    filterOption(form, "--handler <name", "only invocations of these handlers"),
    filterOption(form, "--key <key", "only invocations of these keys of objects or workflows"),
    filterOption(
      form,
      "--cause <id",
      "only invocations that failed by these causes, whose ids `stepwell status` shows",
    ),
  ];
}

/** @param flag the option's name: `--pinned-to` if `--deployment` has another meaning in the command */
export function deploymentFilter(form: FilterForm, flag: "--deployment" | "--pinned-to"): Option {
  return filterOption(
    form,
    `${flag} <id`,
    "only invocations of these deployments; of completed ones, the deployment of the last attempt counts",
  );
}

/** @param start the flag and the beginning of the name of its value, as `--key <key` */
function filterOption(form: FilterForm, start: string, description: string): Option {
  if (form === "words") return new Option(`${start}...>`, description);
  const addOne = (written: string, before: readonly string[] = []): readonly string[] => [...before, written];
  return new Option(`${start}>`, `${description}; repeatable`).argParser(unlessId(addOne));
}

type AddValues = (written: string, before?: readonly string[]) => readonly string[];

/** Refuses an id as a value: in `--service $NAME inv_1` with an empty variable, the option would take the id as its value. */
function unlessId(add: AddValues): AddValues {
  return (written, before) => {
    if (!written.startsWith("inv_")) return add(written, before);
    throw new InvalidArgumentError(
      "It looks like the id of an invocation: give ids alone, without filters. To filter by a name that begins with `inv_`, list the ids with `stepwell invocations list --ids`.",
    );
  };
}

/** Option parser: adds a status, or several with commas between them, to the earlier ones. */
function addStatuses(written: string, before: readonly string[] = []): readonly string[] {
  const words = written.split(",");
  if (words.every((word) => STATUS_CHOICES.includes(word))) return [...before, ...words];
  throw new InvalidArgumentError(`Allowed choices are ${STATUS_CHOICES.join(", ")}.`);
}

/** @throws CommandFailure if the filter selects outcomes and other statuses, which the API lists only separately */
export function filterQuery(filter: InvocationFilter): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of FILTERS) for (const value of filter[name] ?? []) query.append(...parameterOf(name, value));
  if (!query.has("status") || !query.has("outcome")) return query;
  throw new CommandFailure("Outcomes and other statuses cannot be selected together", {
    exitCode: EXIT_USAGE,
    fix: `Select the outcomes (${OUTCOME_WORDS.join(", ")}) and the other statuses in two commands.`,
  });
}

/** The API has a separate filter for the outcomes of completed invocations. */
function parameterOf(name: string, value: string): [string, string] {
  return name === "status" && OUTCOMES.has(value) ? ["outcome", value] : [name, value];
}
