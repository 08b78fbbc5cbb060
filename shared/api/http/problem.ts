/** An error as a client sees it: a status, a message without internal details, and an optional code. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { ThrownCode } from "../../core/errors/error-table.ts";

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: ThrownCode;
}

/** An error with its own status and message for the answer. */
export class HttpProblem extends Error {
  override name = "HttpProblem";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A coded error keeps its message. An unexpected error shows only an id; `report` logs the details.
 * @param newId creates the id of the log entry
 */
export function problemOf(error: unknown, newId: () => string, report: (id: string) => void): Problem {
  if (error instanceof HttpProblem) return { status: error.status, message: error.message };
  if (error instanceof CodedError) {
    const { outcome } = error.entry;
    const status = outcome.kind === "reject" ? outcome.status : 500;
    return { status, message: error.message, code: error.code };
  }
  const id = newId();
  report(id);
  return { status: 500, message: `Internal error ${id}` };
}
