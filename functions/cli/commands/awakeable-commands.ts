/** `stepwell awakeable`: completes an awakeable, for which an invocation waits. */
import { Command } from "commander";
import { dataOption, readPayload, type Payload } from "./payload.ts";
import { sessionOf, type Session } from "../http/session.ts";

export function awakeableCommands(): Command {
  return new Command("awakeable")
    .description("Complete awakeables; `stepwell invocations describe` shows the id for which an invocation waits.")
    .addCommand(resolveCommand())
    .addCommand(rejectCommand());
}

function resolveCommand(): Command {
  return new Command("resolve")
    .description("Complete an awakeable with a value; a result that it has already stays.")
    .argument("<awakeable-id>")
    .addOption(dataOption())
    .action(async (id: string, { data }: { readonly data?: string }, command: Command) => {
      await complete(sessionOf(command), id, "resolve", await readPayload(data));
    });
}

function rejectCommand(): Command {
  return new Command("reject")
    .description("Complete an awakeable with a failure; a result that it has already stays.")
    .argument("<awakeable-id>")
    .requiredOption("--reason <text>", "the message of the failure, which the handler receives")
    .action(async (id: string, { reason }: { readonly reason: string }, command: Command) => {
      const headers = { "content-type": "text/plain; charset=utf-8" };
      await complete(sessionOf(command), id, "reject", { headers, body: Buffer.from(reason, "utf8") });
    });
}

/** The ingress accepts a result for each well-formed id, so the printed text claims only that the server accepted it. */
async function complete(session: Session, id: string, outcome: "resolve" | "reject", payload: Payload): Promise<void> {
  const path = `restate/awakeables/${encodeURIComponent(id)}/${outcome}`;
  await session.ingress.ask({ method: "POST", path, ...payload }, "Sending the result");
  session.give({ awakeable_id: id, outcome }, () =>
    outcome === "resolve"
      ? `The server accepted the value for ${id}. If the awakeable has a result already, that one stays.`
      : `The server accepted the failure for ${id}. If the awakeable has a result already, that one stays.`,
  );
}
