/** `stepwell invocations`: inspects and changes invocations. */
import { Command } from "commander";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { changeCommand } from "./change-command.ts";
import { valuesText } from "../text/entry-values.ts";
import { INVOCATION_CHANGES } from "./invocation-changes.ts";
import { invocationListCommand } from "./invocation-list-command.ts";
import { invocationText } from "../text/invocation-text.ts";
import { sessionOf } from "../http/session.ts";
import type { Session } from "../http/session.ts";

export function invocationCommands(): Command {
  const commands = new Command("invocations")
    .alias("inv")
    .description("Inspect, cancel and repair invocations.")
    .addCommand(invocationListCommand())
    .addCommand(describeCommand());
  for (const change of INVOCATION_CHANGES) commands.addCommand(changeCommand(change));
  return commands;
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show an invocation: its status, what it waits for, its failures and its journal.")
    .argument("<invocation-id>")
    .option("--values", "show the values of the journal's entries too; JSON is indented, and long values are cut")
    .action((id: string, flags: { readonly values?: true }, command: Command) =>
      describe(sessionOf(command), id, flags.values === true),
    );
}

async function describe(session: Session, id: string, withValues: boolean): Promise<void> {
  const path = `invocations/${encodeURIComponent(id)}${withValues ? "?values=true" : ""}`;
  const { body } = await session.admin.ask<InvocationBody>("GET", path);
  session.give(body, () => `${invocationText(session.terminal.colours, body)}${valuesText(body.entries)}`);
}
