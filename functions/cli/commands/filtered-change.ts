/** The options by which a change selects invocations, and what they mean. */
import { Option } from "commander";
import { OUTCOME_WORDS } from "../../../shared/api/wire/status-words.ts";
import { readAgeMs } from "../text/age.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_USAGE } from "../text/exit-codes.ts";
import { FROM_DEFAULT } from "./invocation-changes.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { deploymentFilter, filterOptions } from "./invocation-filter.ts";
import type { InvocationFilter } from "./invocation-filter.ts";

export interface FilterFlags extends InvocationFilter {
  readonly pinnedTo?: readonly string[];
  readonly olderThan?: number;
  readonly after?: string;
  readonly dryRun?: true;
}

export interface FilteredChange {
  readonly filter: InvocationFilter;
  readonly olderThanMs?: number;
  /** The position from which the command goes on; an earlier run has shown it. */
  readonly after?: string;
  /** The deployment to continue on, for a change that takes one. */
  readonly deployment?: string;
  /** True if the command only shows what matches, and changes nothing. */
  readonly isDryRun: boolean;
}

/** Completed invocations have no pin that the API could filter by. */
const ENDED: readonly string[] = ["completed", ...OUTCOME_WORDS];

/** The options by which a change selects invocations in place of ids. */
export function bulkOptions({ statuses, query }: InvocationChange): readonly Option[] {
  const isPinned = statuses.every((status) => !ENDED.includes(status));
  return [
    ...filterOptions("repeated", statuses),
    ...(isPinned ? [deploymentFilter("repeated", query.includes("deployment") ? "--pinned-to" : "--deployment")] : []),
    new Option(
      "--older-than <age>",
      "only invocations that are at least this old by the clock of the server: 30s, 15m, 2h or 7d",
    ).argParser(readAgeMs),
    new Option("--after <position>", "go on after this position, which a command that did not reach all has shown"),
  ];
}

/** @throws CommandFailure unless the command line has either ids or filters */
export function isByFilter(change: InvocationChange, ids: readonly string[], flags: FilterFlags): boolean {
  const names = bulkOptions(change).map((option) => option.attributeName());
  // A position alone selects nothing: it would stand for all that is open.
  const isFiltered = names.some((name) => name !== "after" && name in flags);
  if (flags.after !== undefined && !isFiltered)
    throw new CommandFailure("--after goes on with filters, and there are none", {
      exitCode: EXIT_USAGE,
      fix: "Give the filters of the command that has shown the position.",
    });
  if (isFiltered !== ids.length > 0) return isFiltered;
  throw new CommandFailure(
    isFiltered ? "Ids and filters exclude each other" : "The invocations to change are missing",
    {
      exitCode: EXIT_USAGE,
      fix: `Give ids, or filters such as --service; each filter takes one value, and may be repeated: see stepwell invocations ${change.name} --help.`,
    },
  );
}

export function dryRunOption(): Option {
  return new Option("--dry-run", "show which invocations would be changed, and change nothing");
}

/**
 * If the change takes a deployment to continue on, `--deployment` names that deployment, and `--pinned-to` is the filter.
 * @throws CommandFailure if `--from` names an entry
 */
export function filteredChange(
  { query }: InvocationChange,
  { status, service, handler, key, deployment, pinnedTo, olderThan, after, dryRun }: FilterFlags,
  values: Readonly<Record<string, string>>,
): FilteredChange {
  if (values["from"] !== undefined && values["from"] !== FROM_DEFAULT)
    throw new CommandFailure("--from and filters exclude each other", {
      exitCode: EXIT_USAGE,
      fix: "Give the ids of the invocations: an entry belongs to the journal of one invocation.",
    });
  const isChosen = query.includes("deployment");
  const pinned = isChosen ? pinnedTo : deployment;
  return {
    filter: {
      ...(status !== undefined && { status }),
      ...(service !== undefined && { service }),
      ...(handler !== undefined && { handler }),
      ...(key !== undefined && { key }),
      ...(pinned !== undefined && { deployment: pinned }),
    },
    ...(olderThan !== undefined && { olderThanMs: olderThan }),
    ...(after !== undefined && { after }),
    ...(isChosen && { deployment: values["deployment"]! }),
    isDryRun: dryRun === true,
  };
}
