/** The filters of `stepwell invocations` as options: for its list, and for changes of all invocations that match. */
import { InvalidArgumentError, Option } from "commander";
import { ageMsOf, LIST_FILTERS, momentMsOf } from "../../../shared/api/wire/list-filters.ts";
import { OUTCOME_WORDS, STATUS_WORDS } from "../../../shared/api/wire/status-words.ts";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";

const OUTCOMES = new Set<string>(OUTCOME_WORDS);
const STATUS_CHOICES: readonly string[] = [...STATUS_WORDS, ...OUTCOME_WORDS];

/** The values of the options of a command by attribute. */
export type Flags = Readonly<Record<string, string | readonly string[] | true | undefined>>;

/**
 * How a filter takes its values. `words`: all words up to the next option, for commands without ids. `repeated`: one
 * value, for commands that change invocations, where an id may follow the option; the option may be repeated.
 */
export type FilterForm = "words" | "repeated";

/**
 * @param statuses the statuses that the command selects without the filter; all if empty
 * @param deployment the name of the filter by deployment if `--deployment` has another meaning; `none` for no such filter
 */
export function filterOptions(
  form: FilterForm,
  statuses: readonly string[] = [],
  deployment: "deployment" | "pinned-to" | "none" = "deployment",
): readonly Option[] {
  return LIST_FILTERS.flatMap(({ name, kind, option }) => {
    const flag = name === "deployment" ? deployment : name;
    if (option === undefined || flag === "none") return [];
    if (name === "status") return [statusOption(form, option.help, statuses)];
    if (kind === "moment") return [new Option(`--${flag} <${option.value}>`, option.help).argParser(readMoment)];
    return [filterOption(form, `--${flag} <${option.value}`, option.help)];
  });
}

/** `--older-than`, which says in one word what an age before `created_before` says. */
export function olderThanOption(): Option {
  return new Option(
    "--older-than <age>",
    "only invocations that are at least this old by the clock of the server: 30s, 15m, 2h or 7d",
  ).argParser((written: string) => {
    if (ageMsOf(written) !== undefined) return written;
    throw new InvalidArgumentError("Write a number and a unit: 30s, 15m, 2h or 7d.");
  });
}

/** Option parser. The server counts an age by its own clock, so the text stays as it is. */
function readMoment(written: string): string {
  if (momentMsOf(written, 0) !== undefined) return written;
  throw new InvalidArgumentError("Write a moment such as 2026-11-24T13:00:00Z, or an age: 30s, 15m, 2h or 7d.");
}

function statusOption(form: FilterForm, help: string, statuses: readonly string[]): Option {
  const unless = statuses.length === 0 ? "" : ` (default: ${statuses.join(", ")})`;
  const status = filterOption(form, "--status <status", `${help}${unless}`);
  return status.choices(STATUS_CHOICES).argParser(form === "words" ? addStatuses : unlessId(addStatuses));
}

/** @param start the flag and the beginning of the name of its value, as `--key <key` */
function filterOption(form: FilterForm, start: string, help: string): Option {
  if (form === "words") return new Option(`${start}...>`, help);
  const addOne = (written: string, before: readonly string[] = []): readonly string[] => [...before, written];
  return new Option(`${start}>`, `${help}; repeatable`).argParser(unlessId(addOne));
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

/**
 * @param flags the filter by deployment is in `deployment`, whatever its option is called
 * @throws CommandFailure if the filter selects outcomes and other statuses, which the API lists only separately
 */
export function filterQuery(flags: Flags): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, parameter = name, option } of LIST_FILTERS) {
    const values = option && flags[new Option(`--${name}`).attributeName()];
    if (values === undefined || values === true) continue;
    for (const value of [values].flat())
      // The API has a separate filter for the outcomes of completed invocations.
      query.append(name === "status" && OUTCOMES.has(value) ? "outcome" : parameter, value);
  }
  if (typeof flags["olderThan"] === "string") query.append("created_before", flags["olderThan"]);
  if (!query.has("status") || !query.has("outcome")) return query;
  throw new CommandFailure("Outcomes and other statuses cannot be selected together", {
    exitCode: EXIT_USAGE,
    fix: `Select the outcomes (${OUTCOME_WORDS.join(", ")}) and the other statuses in two commands.`,
  });
}
