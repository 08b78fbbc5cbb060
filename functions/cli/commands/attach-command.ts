/** `stepwell attach`: waits for the result of an existing invocation, and prints it. */
import { Command } from "commander";
import { CommandFailure, EXIT_INVOCATION_FAILED } from "../text/command-failure.ts";
import { attachRequest, outputRequest } from "../http/ingress-client.ts";
import { giveResult, untilInterrupted } from "./result-output.ts";
import { sessionOf, type Session } from "../http/session.ts";

export function attachCommand(): Command {
  return new Command("attach")
    .description("Wait for an invocation and print its result; Ctrl-C ends only the waiting, not the invocation.")
    .argument("<invocation-id>")
    .action((id: string, _flags: unknown, command: Command) => attach(sessionOf(command), id));
}

async function attach(session: Session, id: string): Promise<void> {
  const answer = await untilInterrupted(
    async (signal) => {
      try {
        return await session.ingress.ask(attachRequest(id), "Waiting for the result", signal);
      } catch (error) {
        if (error instanceof CommandFailure && error.text.exitCode === EXIT_INVOCATION_FAILED)
          await refuseUnknown(session, id, signal);
        throw error;
      }
    },
    {
      cause: "the interruption ends the waiting, and not the invocation",
      fix: `\`stepwell attach ${id}\` waits again, and \`stepwell invocations cancel ${id}\` cancels the invocation.`,
    },
  );
  giveResult(session, answer);
}

/**
 * For an unknown id, the attach route answers as for an invocation that failed with 404; the output route distinguishes
 * the two cases.
 * @throws CommandFailure if the ingress has no such invocation
 */
async function refuseUnknown(session: Session, id: string, signal: AbortSignal): Promise<void> {
  try {
    await session.ingress.ask(outputRequest(id), "Waiting for the result", signal);
  } catch (error) {
    if (error instanceof CommandFailure && error.text.exitCode === EXIT_INVOCATION_FAILED) return;
    throw error;
  }
}
