/** Texts of the error table for clients that display an error. */
import { documentationOf, ERRORS, isErrorCode } from "../../core/errors/error-table.ts";

export interface Remedy {
  /** The beginning of the error's message after its `[CODE]`. */
  readonly title: string;
  readonly remedy: string;
  /** A place in the documentation. */
  readonly documentation: string;
}

/** @returns undefined for a code unknown to this version */
export function remedyOf(code: string): Remedy | undefined {
  if (!isErrorCode(code)) return undefined;
  const { title, remedy } = ERRORS[code];
  return { title, remedy, documentation: documentationOf(code) };
}
