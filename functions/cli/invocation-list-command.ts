/** `stepwell invocations list`: prints one page of invocations that match the filters. */
import { Command } from "commander";
import type { InvocationListBody } from "../../shared/api/wire/admin.ts";
import { momentText } from "./moment.ts";
import { sessionOf } from "./session.ts";
import type { Session } from "./session.ts";
import { tableText } from "./table.ts";

/** Each filter has the same name as its query parameter. */
const FILTERS = ["status", "service", "handler", "key", "deployment"] as const;

interface ListFlags extends Readonly<Partial<Record<(typeof FILTERS)[number], readonly string[]>>> {
  readonly limit?: string;
  readonly after?: string;
}

export function invocationListCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List invocations, the newest first.")
    .option("--status <status...>", "only invocations with one of these statuses; `open` means all but completed")
    .option("--service <name...>", "only invocations of these services")
    .option("--handler <name...>", "only invocations of these handlers")
    .option("--key <key...>", "only invocations of these keys of objects or workflows")
    .option("--deployment <id...>", "only open invocations that are pinned to these deployments")
    .option("--limit <count>", "the largest number of invocations to list (default: 100)")
    .option("--after <position>", "list the page after this position, which the previous page shows")
    .action((flags: ListFlags, command: Command) => list(sessionOf(command), flags));
}

async function list(session: Session, flags: ListFlags): Promise<void> {
  const query = new URLSearchParams();
  for (const name of FILTERS) for (const value of flags[name] ?? []) query.append(name, value);
  for (const name of ["limit", "after"] as const) if (flags[name] !== undefined) query.set(name, flags[name]);
  const { body } = await session.admin.ask<InvocationListBody>("GET", `invocations?${query.toString()}`);
  session.give(body, () => listText(session, body));
  if (!session.json && body.next !== undefined)
    session.terminal.tell(`More invocations may follow: --after ${body.next}`);
}

function listText({ terminal }: Session, { invocations, next }: InvocationListBody): string {
  if (invocations.length === 0)
    return next === undefined ? "No invocation matches." : "No invocation matches among those read so far.";
  const rows = invocations.map(({ id, target, status, created_at: created }) => [
    id,
    target,
    status,
    momentText(created),
  ]);
  return tableText(terminal.colours, ["ID", "TARGET", "STATUS", "CREATED"], rows);
}
