/** Waits for the result of an invocation unless the user interrupts, and prints it. */
import { CommandFailure, EXIT_INTERRUPTED } from "../text/command-failure.ts";
import { invocationIdOf, type IngressAnswer } from "../http/ingress-client.ts";
import { isJson, prettyJson, utf8Text } from "../../../shared/api/wire/pretty-json.ts";
import type { Session } from "../http/session.ts";

/** JSON is indented; bytes that are no text go to a pipe as they are, and to a terminal in base64. */
export function giveResult(session: Session, answer: IngressAnswer): void {
  const { body, headers } = answer;
  const text = utf8Text(body);
  if (session.json) {
    const result = text === undefined ? JSON.stringify({ base64: body.toString("base64") }) : jsonOf(text);
    return session.terminal.printJson(resultJson(invocationIdOf(answer), result));
  }
  if (body.length === 0) return session.terminal.tell("The invocation returned nothing.");
  if (text === undefined) {
    if (process.stdout.isTTY === true) session.terminal.print(`base64:${body.toString("base64")}`);
    else process.stdout.write(body);
    return;
  }
  session.terminal.printForeign(/json/i.test(headers["content-type"] ?? "") ? prettyJson(text) : text);
}

/** @returns the result itself if it is JSON, so that large integers keep their digits; else a JSON string, or null if empty */
function jsonOf(text: string): string {
  if (text === "") return "null";
  return isJson(text) ? prettyJson(text).trim() : JSON.stringify(text);
}

/** @param result the result as JSON text */
function resultJson(id: string | undefined, result: string): string {
  const head = id === undefined ? "" : `  "invocation_id": ${JSON.stringify(id)},\n`;
  return `{\n${head}  "result": ${result.replaceAll("\n", "\n  ")}\n}`;
}

/**
 * @param known the texts for cause and fix in the CommandFailure that is thrown after an interruption
 * @throws CommandFailure if the user interrupts; the interruption aborts the signal of the work
 */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  known: { readonly cause: string; readonly fix: string },
): Promise<Result> {
  const stopping = new AbortController();
  const interrupt = (): void => stopping.abort();
  process.once("SIGINT", interrupt);
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    throw new CommandFailure("Interrupted before the result arrived", { exitCode: EXIT_INTERRUPTED, ...known });
  } finally {
    process.off("SIGINT", interrupt);
  }
}
