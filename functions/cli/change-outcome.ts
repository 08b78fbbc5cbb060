/** The outcomes of a change for each invocation, as the command prints them. */
import { CommandFailure } from "./command-failure.ts";
import { EXIT_REFUSED } from "./exit-codes.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { foreignLine } from "./visible-text.ts";

/** `noted`: the server applies the change later. `unanswered`: the server did not answer, or was not asked. */
export type OutcomeKind = "done" | "noted" | "refused" | "unanswered";

export interface ChangeOutcome {
  readonly id: string;
  readonly outcome: OutcomeKind;
  /** The reason of a refusal. */
  readonly message?: string;
  /** The id of the new invocation after a restart. */
  readonly new_invocation_id?: string;
}

export interface CarriedOut {
  /** One for each invocation. */
  readonly outcomes: readonly ChangeOutcome[];
  /** The failure that ended the work early. */
  readonly failure?: unknown;
}

const REFUSALS_MAX = 20;

/** @throws CommandFailure if the server refused any */
export function refuseIfRefused(outcomes: readonly ChangeOutcome[]): void {
  const refused = outcomes.filter(({ outcome }) => outcome === "refused").length;
  if (refused === 0) return;
  throw new CommandFailure(`The server refused ${refused} of ${outcomes.length}`, { exitCode: EXIT_REFUSED });
}

/** One line for one invocation. */
export function outcomeText(change: InvocationChange, told: ChangeOutcome): string {
  const { id, outcome, message = "", new_invocation_id: newId } = told;
  if (outcome === "refused") return foreignLine(`Refused    ${id}: ${message}`);
  const note = noteOf(change, outcome);
  return foreignLine(`${verbOf(change, outcome)} ${id}${newId === undefined ? "" : ` as ${newId}`}${note}`);
}

/** The refusals, at most twenty, and one line for each kind of outcome with its count. */
export function countsText(change: InvocationChange, outcomes: readonly ChangeOutcome[]): string {
  const refused = outcomes.filter(({ outcome }) => outcome === "refused");
  const more = refused.length - REFUSALS_MAX;
  const kinds = (["done", "noted", "refused", "unanswered"] as const).flatMap((kind) => {
    const count = outcomes.filter(({ outcome }) => outcome === kind).length;
    return count === 0 ? [] : [`${verbOf(change, kind)} ${count} of ${outcomes.length}${noteOf(change, kind)}`];
  });
  return [
    ...refused.slice(0, REFUSALS_MAX).map((one) => outcomeText(change, one)),
    ...(more > 0 ? [`… and ${more} more refusals; --json shows all`] : []),
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
