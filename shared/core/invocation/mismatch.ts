/** A handler that took another path than its journal (RT0016): what was recorded beside what its code does now. */
import { type AttemptFailure, keptFailure, type Mismatch } from "../model/attempt-failure.ts";
import type { Journal } from "./journal.ts";

/** How SDKs tell of the fields that differ: `name: recorded != offered`, a line for each. */
const DIFFERENCE = /^[ \t]+(\w+): (.*) != (.*)$/m;
const VALUE_MAX = 200;

/**
 * SDKs tell which command their code came to; what stands in its place is in the journal. Both go before their words,
 * which say of some commands the one for the other.
 * @param told a stranger's words of any length, which are cut before they are matched
 * @param deploymentId where the code runs
 */
export function besideJournal(told: AttemptFailure, journal: Journal, deploymentId: string): AttemptFailure {
  const failure = keptFailure(told);
  const { relatedCommand: { index, ...offered } = {} } = failure;
  if (index === undefined) return failure;
  const entry = journal.entries.filter(({ kind }) => kind === "command")[index];
  const recorded =
    entry?.kind === "command" ? { type: entry.type, ...(entry.name !== "" && { name: entry.name }) } : undefined;
  const [, field, was, is] = DIFFERENCE.exec(failure.message) ?? [];
  const mismatch: Mismatch = {
    index,
    deploymentId,
    offered,
    ...(recorded && { recorded }),
    ...(field !== undefined && { field: { name: field, recorded: cut(was), offered: cut(is) } }),
  };
  return { ...failure, mismatch, message: `${sentence(mismatch)}\n${failure.message}` };
}

function sentence({ index, recorded, offered, field, deploymentId }: Mismatch): string {
  const difference =
    field && `; the first difference is ${field.name}: '${field.recorded}' there, '${field.offered}' here`;
  const code = `the code of deployment ${deploymentId}`;
  return `command ${index} is ${spoken(recorded)} in the journal and ${spoken(offered)} in ${code}${difference ?? ""}`;
}

function spoken(command: Mismatch["recorded"]): string {
  if (command?.type === undefined) return "nothing";
  return command.name === undefined ? command.type : `${command.type} '${command.name}'`;
}

function cut(value = ""): string {
  return value.slice(0, VALUE_MAX);
}
