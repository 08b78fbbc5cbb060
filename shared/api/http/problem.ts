/** What an error means to a client: a status, a message that may be read outside, and a code where there is one. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { ThrownCode } from "../../core/errors/error-table.ts";

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: ThrownCode;
}

/** An error that a face answers with a status and words of its own. */
export class HttpProblem extends Error {
  override name = "HttpProblem";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Coded errors tell who they are. Of an error that nobody expected only its id is told; `report` tells the rest to the log.
 * @param newId makes the id under which the log has the detail
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
