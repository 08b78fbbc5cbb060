/** The failure of `call` and `send` in words of the command line: a missing key, or a workflow that has run before. */
import { CommandFailure, EXIT_INVOCATION_FAILED, EXIT_REFUSED } from "../text/command-failure.ts";
import { outputRequest, type IngressClient } from "./ingress-client.ts";
import { foreignLine } from "../text/visible-text.ts";

const STATUS_BAD_REQUEST = 400;
const STATUS_UNKNOWN = 404;
const STATUS_CONFLICT = 409;
/** The answer for an invocation that has no result yet. */
const STATUS_OPEN = 470;

export interface CalledHandler {
  readonly service: string;
  readonly handler: string;
  readonly key: string | undefined;
}

/** @throws CommandFailure with a fix for a path that lacks a key, or has one too many; otherwise the failure itself */
export function explainKey(failure: unknown, { service, handler, key }: CalledHandler): never {
  if (!(failure instanceof CommandFailure) || !isAboutPath(failure, handler)) throw failure;
  const name = `${service}/${handler}`;
  if (key !== undefined) {
    throw new CommandFailure(`${service} has no keys, and the call has one`, {
      ...failure.text,
      fix: "Leave out --key.",
    });
  }
  throw new CommandFailure(`The call of ${name} lacks the key of the object or workflow`, {
    ...failure.text,
    fix: `Give it with --key, as in: ${name} --key my-key`,
  });
}

/**
 * The path of a send ends with `/send`. Without a key, an object or workflow takes the handler's name in it for the key, and that word
 * for the name of the handler.
 */
function isAboutPath({ message, text }: CommandFailure, handler: string): boolean {
  if (text.exitCode !== EXIT_REFUSED) return false;
  if (text.status === STATUS_BAD_REQUEST) return message.startsWith("bad path, expected");
  return text.status === STATUS_UNKNOWN && handler !== "send" && message.includes("the handler 'send' was not found");
}

/**
 * The ingress answers a repeated call of a workflow as if an invocation had failed with 409. The result of the invocation tells which
 * of the two happened.
 * @throws CommandFailure or the failure itself
 */
export async function explainConflict(
  ingress: IngressClient,
  failure: unknown,
  { service, key }: CalledHandler,
  signal: AbortSignal,
): Promise<never> {
  if (!(failure instanceof CommandFailure)) throw failure;
  const { exitCode, status, invocationId: id } = failure.text;
  if (exitCode !== EXIT_INVOCATION_FAILED || status !== STATUS_CONFLICT || id === undefined) throw failure;
  const ended = await outcomeOf(ingress, id, failure.message, signal);
  if (ended === undefined) throw failure;
  const about = { exitCode: EXIT_REFUSED, status, invocationId: id };
  if (ended === "unknown") {
    throw new CommandFailure(failure.message, {
      ...about,
      cause: `${status} about ${id}, and the server did not say whether ${id} ran before or has failed now`,
      fix: `\`stepwell invocations describe ${id}\` shows its status and its journal.`,
    });
  }
  const result = ended === "still runs" ? "waits for its result" : "gives its result";
  throw new CommandFailure(`Nothing was run: the workflow ${service}/${key ?? ""} was run before`, {
    ...about,
    cause: `${status}, because a workflow runs once per key; ${id} ${ended}`,
    fix: `\`stepwell attach ${id}\` ${result}. Another --key starts another run.`,
  });
}

/** @returns undefined if the invocation failed with the very failure of the call, so the call ran and failed */
async function outcomeOf(
  ingress: IngressClient,
  id: string,
  failedWith: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await ingress.ask(outputRequest(id), "Looking at the run of this key", signal);
    return "has succeeded";
  } catch (error) {
    if (signal.aborted || !(error instanceof CommandFailure)) throw error;
    const { exitCode, status } = error.text;
    if (exitCode === EXIT_INVOCATION_FAILED)
      return error.message === failedWith ? undefined : `has failed: ${foreignLine(error.message)}`;
    if (status === STATUS_OPEN) return "still runs";
    // The result of a workflow stays as long as its key is taken, so this is the failure of an invocation without such a result.
    return status === STATUS_UNKNOWN ? undefined : "unknown";
  }
}
