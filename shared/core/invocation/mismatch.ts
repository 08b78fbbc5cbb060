/** Describes a journal mismatch (RT0016): the recorded command beside the command of the current code. */
import { keptFailure, keptName, cutToBytes, type AttemptFailure, type Mismatch } from "../model/attempt-failure.ts";
import type { Journal } from "./journal.ts";

/** The format in which SDKs report differing fields: a line `name: recorded != offered` for each. */
const DIFFERENCE = /^[ \t]+(\w+): (.*) != (.*)$/m;
const VALUE_MAX_BYTES = 200;
/** SDKs confuse the recorded side and the offered side for some commands. */
const REPORT = "The report of the SDK, which may name the two sides the other way round:";

/**
 * SDKs report the command that the code reached; the journal has the recorded command. The new message names both commands
 * before the SDK's own text.
 * @param given the SDK's failure, with texts of any length; they are cut before they are matched
 * @param deploymentId the deployment of the current code
 */
export function besideJournal(given: AttemptFailure, journal: Journal, deploymentId: string): AttemptFailure {
  const failure = keptFailure(given);
  const { relatedCommand: { index, ...offered } = {} } = failure;
  if (index === undefined) return failure;
  const entry = journal.entries.filter(({ kind }) => kind === "command")[index];
  const place = entry === undefined ? journal.entries.length : journal.entries.indexOf(entry);
  const recorded =
    entry?.kind === "command"
      ? { type: entry.type, ...(entry.name !== "" && { name: keptName(entry.name) }) }
      : undefined;
  const field = fieldIn(failure.message, recorded?.name, offered.name);
  const mismatch: Mismatch = {
    index,
    entry: place,
    deploymentId,
    offered,
    ...(recorded && { recorded }),
    ...(field && { field }),
  };
  return { ...failure, mismatch, message: `${sentence(mismatch, place)}\n${REPORT}\n${failure.message}` };
}

/**
 * Corrects a report that confuses the two sides. The function notices the confusion only if the differing field is the name,
 * because it knows no other field of both commands.
 */
function fieldIn(report: string, recordedName: string | undefined, offeredName: string | undefined): Mismatch["field"] {
  const [, name, was, is] = DIFFERENCE.exec(report) ?? [];
  if (name === undefined) return undefined;
  const field = { name, recorded: cut(was), offered: cut(is) };
  const isSwapped = name === "name" && field.recorded === offeredName && field.offered === recordedName;
  return isSwapped ? { name, recorded: field.offered, offered: field.recorded } : field;
}

/** @param place the index among all entries, as operators see it in the journal */
function sentence({ recorded, offered, field, deploymentId }: Mismatch, place: number): string {
  const difference =
    field && `; the first difference is ${field.name}: '${field.recorded}' there, '${field.offered}' here`;
  const code = `the code of deployment ${deploymentId}`;
  return `entry ${place} is ${spokenCommand(recorded)} in the journal and ${spokenCommand(offered)} in ${code}${difference ?? ""}`;
}

/** The type of a command and its name in quotes; `nothing` for no command. */
export function spokenCommand(command: Mismatch["recorded"]): string {
  if (command?.type === undefined) return "nothing";
  return command.name === undefined || command.name === "" ? command.type : `${command.type} '${command.name}'`;
}

function cut(value = ""): string {
  return cutToBytes(value, VALUE_MAX_BYTES);
}

/** True if both mismatches have the same deployment and the same index, and the code offered the same command. */
export function sameMismatch(a: Mismatch | undefined, b: Mismatch): boolean {
  if (a === undefined || a.deploymentId !== b.deploymentId || a.index !== b.index) return false;
  return a.offered.type === b.offered.type && a.offered.name === b.offered.name;
}
