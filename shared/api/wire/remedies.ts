/** Texts of the error table for clients that display an error. */
import type { Outcome } from "../../core/errors/error-entry.ts";
import { ERROR_CODES, ERRORS, isErrorCode } from "../../core/errors/error-table.ts";

export interface Remedy {
  /** The beginning of the error's message after its `[CODE]`. */
  readonly title: string;
  readonly remedy: string;
}

/** An entry of the error table in whole sentences; the title has no full stop. */
export interface Explanation extends Remedy {
  readonly code: string;
  readonly arises: string;
  readonly outcome: string;
}

export const EXPLAINED_CODES: readonly string[] = ERROR_CODES;

/** @returns undefined for a code unknown to this version */
export function remedyOf(code: string): Remedy | undefined {
  if (!isErrorCode(code)) return undefined;
  const { title, remedy } = ERRORS[code];
  return { title, remedy };
}

/** @returns undefined for a code unknown to this version */
export function explanationOf(code: string): Explanation | undefined {
  if (!isErrorCode(code)) return undefined;
  const { title, arises, outcome, remedy } = ERRORS[code];
  return { code, title, arises, outcome: outcomeText(outcome), remedy };
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "reject":
      return `The request is refused with ${outcome.status}.${outcome.refusesStart === true ? " At start, the process ends." : ""}`;
    case "retry":
      return "The attempt has failed, and the retry policy of the handler decides about the next one.";
    case "pause":
      return "The invocation is paused.";
    case "end":
      return `The invocation ends with a failure that has the code ${outcome.status}.`;
    case "refuse-start":
      return "The process does not start.";
    case "warn":
      return "Nothing is refused: the code is a warning.";
  }
}
