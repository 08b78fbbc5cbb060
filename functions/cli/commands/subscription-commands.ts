/** `stepwell subscriptions`: the topics whose records invoke handlers. */
import { Command } from "commander";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { addPair } from "./pair-options.ts";
import type { Pairs } from "./pair-options.ts";
import { sessionOf, yesOption } from "../http/session.ts";
import type { Session } from "../http/session.ts";
import { resetCommand } from "./subscription-reset-command.ts";
import { lagOf, subscriptionText } from "../text/subscription-text.ts";
import { tableText } from "../text/table.ts";

export function subscriptionCommands(): Command {
  return new Command("subscriptions")
    .alias("sub")
    .description("Let records of Kafka topics invoke handlers.")
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addCommand(createCommand())
    .addCommand(changeCommand("pause", "Stop reading; the consumer group and its position stay.", true))
    .addCommand(
      changeCommand("resume", "Read on. A subscription that stopped at a bad record reads that record again.", false),
    )
    .addCommand(resetCommand())
    .addCommand(deleteCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the subscriptions with their status and lag.")
    .action((_flags: unknown, command: Command) => list(sessionOf(command)));
}

async function list(session: Session): Promise<void> {
  type Listed = { readonly subscriptions: readonly SubscriptionBody[] };
  const { body } = await session.admin.ask<Listed>("GET", "subscriptions");
  session.give(body, () => {
    if (body.subscriptions.length === 0)
      return "There is no subscription. Create one with `stepwell subscriptions create`.";
    const rows = body.subscriptions.map((one) => [one.id, one.status, lagOf(one), one.source, one.sink]);
    return tableText(session.terminal.colours, ["ID", "STATUS", "LAG", "SOURCE", "SINK"], rows);
  });
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show a subscription with its partitions; secrets are hidden.")
    .argument("<subscription-id>")
    .action(async (id: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<SubscriptionBody>("GET", pathOf(id));
      session.give(body, () => subscriptionText(session.terminal.colours, body));
    });
}

function createCommand(): Command {
  return new Command("create")
    .description("Let the records of a topic invoke a handler.")
    .argument("<source>", "kafka://<cluster>/<topic>; the cluster is configured")
    .argument("<sink>", "service://<service>/<handler>; the handler is registered")
    .option<Pairs>(
      "--option <name=value>",
      "a property of the consumer, such as auto.offset.reset=earliest",
      addPair,
      {},
    )
    .option("--skip-bad-records", "pass over records that cannot become an invocation, and do not pause before them")
    .action((source: string, sink: string, flags: CreateFlags, command: Command) =>
      create(sessionOf(command), { source, sink, flags }),
    );
}

interface CreateFlags {
  readonly option: Pairs;
  readonly skipBadRecords?: true;
}

async function create(
  session: Session,
  asked: { readonly source: string; readonly sink: string; readonly flags: CreateFlags },
): Promise<void> {
  const { source, sink, flags } = asked;
  const options = { ...flags.option, ...(flags.skipBadRecords === true && { "stepwell.bad-records": "skip" }) };
  const { body } = await session.admin.ask<SubscriptionBody>("POST", "subscriptions", { source, sink, options });
  session.give(body, () => `Created ${body.id}: ${body.source} to ${body.sink}`);
}

function changeCommand(name: "pause" | "resume", description: string, paused: boolean): Command {
  return new Command(name)
    .description(description)
    .argument("<subscription-id>")
    .action(async (id: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<SubscriptionBody>("PATCH", pathOf(id), { paused });
      session.give(body, () => `${paused ? "Paused" : "Resumed"} ${body.id}`);
    });
}

function deleteCommand(): Command {
  return new Command("delete")
    .alias("rm")
    .description("Remove a subscription. Invocations that it has made go on.")
    .argument("<subscription-id>")
    .addOption(yesOption())
    .action(async (id: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<SubscriptionBody>("GET", pathOf(id));
      session.show(`${subscriptionText(session.terminal.colours, body)}\n`);
      await session.confirm("Remove this subscription?");
      await session.admin.ask("DELETE", pathOf(id));
      session.give({ removed: body.id }, () => `Removed ${body.id}`);
    });
}

function pathOf(id: string): string {
  return `subscriptions/${encodeURIComponent(id)}`;
}
