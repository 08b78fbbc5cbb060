/** Errors and warnings with a code of the error table, which the user can look up. */
import { ERRORS, type ThrownCode, type WarningCode } from "./error-table.ts";
import type { ErrorEntry } from "./error-entry.ts";

/** The message is `[CODE] Title: detail`. Codes that only warn cannot be thrown; they become a `Notice`. */
export class CodedError extends Error {
  override name = "CodedError";
  readonly code: ThrownCode;
  readonly detail: string | undefined;

  constructor(code: ThrownCode, detail?: string, options?: ErrorOptions) {
    super(codedText(code, detail), options);
    this.code = code;
    this.detail = detail;
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }
}

/** A warning that accompanies a successful answer. */
export interface Notice {
  readonly code: WarningCode;
  readonly message: string;
}

export function notice(code: WarningCode, message: string): Notice {
  return { code, message };
}

/** The message of a failure that ends an invocation, as `CodedError` has it. */
export function codedText(code: ThrownCode, detail: string | undefined): string {
  const title = ERRORS[code].title;
  return detail === undefined ? `[${code}] ${title}` : `[${code}] ${title}: ${detail}`;
}
