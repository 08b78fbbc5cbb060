/** `stepwell subscriptions`: the topics whose records invoke handlers. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { addPair, type Pairs } from "./pair-options.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { lagOf, subscriptionText } from "../text/subscription-text.ts";
import { tableText } from "../text/table.ts";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";

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

interface ResetFlags {
  readonly to?: string;
  readonly time?: string;
  readonly offset?: Readonly<Record<string, number>>;
}

function resetCommand(): Command {
  return new Command("reset")
    .description("Read again from another place; records that are read again invoke their handlers again.")
    .argument("<subscription-id>")
    .addOption(
      new Option("--to <place>", "the first or the next record of every partition").choices(["earliest", "latest"]),
    )
    .option("--time <moment>", "the first record at or after a moment, such as 2026-01-31T10:00:00Z", momentOf)
    .option(
      "--offset <partition=offset>",
      "an offset of one partition; the others stay where they are; repeatable",
      addOffset,
    )
    .addOption(yesOption())
    .action((id: string, flags: ResetFlags, command: Command) => reset(sessionOf(command), id, flags));
}

async function reset(session: Session, id: string, { to, time, offset: offsets }: ResetFlags): Promise<void> {
  const asked = [to, time, offsets].filter((one) => one !== undefined);
  if (asked.length !== 1) {
    const fix = "Give exactly one of --to, --time and --offset.";
    throw new CommandFailure("The place to read from is not clear", { exitCode: EXIT_USAGE, fix });
  }
  await session.confirm(`Read ${id} again from another place? Handlers run again for records that are read again.`);
  const target = to !== undefined ? { to } : time !== undefined ? { time } : { offsets };
  const path = `subscriptions/${encodeURIComponent(id)}`;
  const { body } = await session.admin.ask<SubscriptionBody>("PATCH", path, { reset: target });
  session.give(body, () => `Reset ${body.id}`);
}

function momentOf(written: string): string {
  const atMs = Date.parse(written);
  if (Number.isNaN(atMs)) throw new InvalidArgumentError("Write it as 2026-01-31T10:00:00Z.");
  return new Date(atMs).toISOString();
}

function addOffset(written: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, partition, offset] = /^(\d{1,7})=(\d{1,15})$/.exec(written) ?? [];
  if (partition === undefined) throw new InvalidArgumentError("Write it as partition=offset.");
  return { ...before, [Number(partition)]: Number(offset) };
}
