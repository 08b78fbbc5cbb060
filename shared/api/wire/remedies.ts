/** What the error table says of a code, for clients that show an error to a person. */
import { documentationOf, ERRORS, isErrorCode } from "../../core/errors/error-table.ts";

export interface Remedy {
  /** What has happened, as the message of the error begins after its `[CODE]`. */
  readonly title: string;
  readonly remedy: string;
  /** A place in the documentation. */
  readonly documentation: string;
}

/** @returns undefined for a code that this version does not know */
export function remedyOf(code: string): Remedy | undefined {
  if (!isErrorCode(code)) return undefined;
  const { title, remedy } = ERRORS[code];
  return { title, remedy, documentation: documentationOf(code) };
}
