/** Logs in one line why a function does not start: the code, the message and the remedy. */
import { CodedError } from "../core/errors/coded-error.ts";
import { documentationOf } from "../core/errors/error-table.ts";
import type { Log } from "../engine/ports/log.ts";

/** The Lambda runtime also logs the error, but over many lines and without the remedy. @throws every error of `open` */
export async function loggingStartFailure<T>(log: Log, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    log.write("function.start-failed", failureFields(error));
    throw error;
  }
}

function failureFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof CodedError)) return { error: String(error) };
  const { code, message, entry } = error;
  return { code, error: message, remedy: entry.remedy, see: documentationOf(code) };
}
