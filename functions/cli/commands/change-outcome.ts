/** The outcomes of a change, one for each invocation, as the command prints them. */
import type { BatchOutcome, OutcomeKind } from "../../../shared/api/wire/batch-outcomes.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_REFUSED } from "../text/exit-codes.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { foreignLine } from "../text/visible-text.ts";

export interface CarriedOut {
  /** One for each invocation. */
  readonly outcomes: readonly BatchOutcome[];
  /** The failure that ended the work early. */
  readonly failure?: unknown;
}

const REFUSALS_MAX = 20;
const RESTARTED_SQL = 'stepwell sql "SELECT restarted_from FROM sys_invocation WHERE restarted_from IS NOT NULL"';

/** @throws CommandFailure if the server refused to change an invocation, or did not answer for one */
export function failUnlessAccepted(change: InvocationChange, outcomes: readonly BatchOutcome[]): void {
  const countOf = (kind: OutcomeKind): number => outcomes.filter(({ outcome }) => outcome === kind).length;
  const [refused, unanswered] = [countOf("refused"), countOf("unanswered")];
  const parts = [
    ...(refused === 0 ? [] : [`refused ${refused}`]),
    ...(unanswered === 0 ? [] : [`did not answer for ${unanswered}`]),
  ];
  if (parts.length === 0) return;
  throw new CommandFailure(`The server ${parts.join(" and ")} of ${outcomes.length}`, {
    exitCode: EXIT_REFUSED,
    ...(unanswered > 0 && { fix: unansweredFix(change) }),
  });
}

/** How to go on after a change that the server did not answer for. */
export function unansweredFix(change: InvocationChange): string {
  return change.makesNew === true
    ? `Some of these may have been restarted: \`${RESTARTED_SQL}\` lists those. Restart the others by their ids, because filters still match all.`
    : "Run the command again: it changes what still matches.";
}

/** @param status the status of the invocation before the change; undefined if it is unknown */
export function outcomeText(change: InvocationChange, told: BatchOutcome, status?: string): string {
  const { id, outcome, message = "", new_invocation_id: newId } = told;
  if (outcome === "refused") return foreignLine(`Refused    ${id}: ${message}`);
  const before = outcome === "done" && status !== undefined ? change.doneNotes?.[status] : undefined;
  const note = before === undefined ? noteOf(change, outcome) : `: ${before}`;
  return foreignLine(`${verbOf(change, outcome)} ${id}${newId === undefined ? "" : ` as ${newId}`}${note}`);
}

/** One line for each status before the change that has a note. @param statuses the statuses before the change, by id */
export function notesText(
  { doneNotes = {} }: InvocationChange,
  outcomes: readonly BatchOutcome[],
  statuses: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.entries(doneNotes).flatMap(([status, note]) => {
    const count = outcomes.filter(({ id, outcome }) => outcome === "done" && statuses.get(id) === status).length;
    return count === 0 ? [] : [`${count} of them ${count === 1 ? "was" : "were"} ${status}: ${note}`];
  });
}

/**
 * The refusals, at most twenty, and one line for each kind of outcome with its count. After a change that makes new
 * invocations, the output also names each invocation that the server did not answer for, because the filters match the
 * restarted invocations as well.
 */
export function countsText(change: InvocationChange, outcomes: readonly BatchOutcome[]): string {
  const refused = outcomes.filter(({ outcome }) => outcome === "refused");
  const unanswered = outcomes.filter(({ outcome }) => outcome === "unanswered");
  const more = refused.length - REFUSALS_MAX;
  const kinds = (["done", "noted", "refused", "unanswered"] as const).flatMap((kind) => {
    const count = outcomes.filter(({ outcome }) => outcome === kind).length;
    return count === 0 ? [] : [`${verbOf(change, kind)} ${count} of ${outcomes.length}${noteOf(change, kind)}`];
  });
  return [
    ...refused.slice(0, REFUSALS_MAX).map((one) => outcomeText(change, one)),
    ...(more > 0 ? [`… and ${more} more refusals; --json shows all`] : []),
    ...(change.makesNew === true ? unanswered.map((one) => outcomeText(change, one)) : []),
    ...kinds,
  ].join("\n");
}

function verbOf(change: InvocationChange, outcome: OutcomeKind): string {
  switch (outcome) {
    case "done":
      return change.done;
    case "noted":
      return change.noted;
    case "refused":
      return "Refused";
    case "unanswered":
      return "No answer for";
  }
}

function noteOf(change: InvocationChange, outcome: OutcomeKind): string {
  return outcome === "noted" ? (change.notedNote ?? "") : "";
}
