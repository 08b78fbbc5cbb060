/** `stepwell subscriptions reset`: reads a topic again from another place. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_USAGE } from "../text/exit-codes.ts";
import { sessionOf, yesOption } from "../http/session.ts";
import type { Session } from "../http/session.ts";

interface ResetFlags {
  readonly to?: string;
  readonly time?: string;
  readonly offset?: Readonly<Record<string, number>>;
}

export function resetCommand(): Command {
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
