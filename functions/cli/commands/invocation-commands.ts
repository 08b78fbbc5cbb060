/** `stepwell invocations`: inspects and changes invocations. */
import { Command, InvalidArgumentError } from "commander";
import type { InvocationBody, InvocationListBody } from "../../../shared/api/contract/invocations.ts";
import { changeCommand } from "./change-command.ts";
import { invocationText, valuesText } from "../text/invocation-text.ts";
import { INVOCATION_CHANGES } from "./invocation-changes.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { filterOptions, filterQuery, type Flags } from "./invocation-filter.ts";
import { invocationTable } from "../text/invocation-table.ts";
import { commandFrom } from "../http/next-command.ts";
import { foreignLine } from "../text/visible-text.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;
/** How long one list reads on: the server bounds only the work of each single request. */
const READ_MAX_MS = 10_000;
/** The characters of a line if the output is not a terminal. */
const WIDTH_DEFAULT = 120;

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

function invocationListCommand(): Command {
  const command = new Command("list").alias("ls").description("List invocations, the newest first.");
  for (const option of filterOptions("words")) command.addOption(option);
  return command
    .option("--ids", "print the ids alone, one per line")
    .option("--limit <count>", "the largest number of invocations to list, up to 500 (default: 100)", readLimit)
    .option("--after <position>", "list the page after this position, which the previous page shows")
    .action((flags: Flags, command: Command) => list(sessionOf(command), flags));
}

async function list(session: Session, flags: Flags): Promise<void> {
  const query = filterQuery(flags);
  for (const name of ["limit", "after"]) if (typeof flags[name] === "string") query.set(name, flags[name]);
  const body = await pagesOf(session, query);
  const isEmpty = flags["ids"] === true && !session.json && body.invocations.length === 0;
  if (!isEmpty) session.give(body, () => listText(session, body, flags["ids"] === true));
  if (!session.json && body.next !== undefined)
    session.terminal.tell(`More invocations may follow: ${foreignLine(commandFrom(body.next))}`);
}

/** A page of the API may end before it is full; the next pages then show whether more follows. */
async function pagesOf(session: Session, query: URLSearchParams): Promise<InvocationListBody> {
  const invocations: InvocationListBody["invocations"][number][] = [];
  let limit = Number(query.get("limit") ?? LIMIT_DEFAULT);
  const startMs = performance.now();
  for (;;) {
    const path = `invocations?${query.toString()}`;
    const { body } = await session.admin.ask<InvocationListBody>("GET", path, undefined, `Looking for invocations`);
    invocations.push(...body.invocations);
    limit -= body.invocations.length;
    const { next } = body;
    if (next === undefined) return { invocations };
    if (limit <= 0 || performance.now() - startMs >= READ_MAX_MS) return { invocations, next };
    query.set("limit", String(limit));
    query.set("after", next);
  }
}

function listText({ terminal }: Session, { invocations, next }: InvocationListBody, isIds: boolean): string {
  if (isIds) return invocations.map(({ id }) => foreignLine(id)).join("\n");
  if (invocations.length === 0)
    return next === undefined
      ? "No invocation matches."
      : "No invocation matches among those read so far, and not all were read.";
  const width = process.stdout.columns ?? WIDTH_DEFAULT;
  return invocationTable(terminal.colours, invocations, { width, nowMs: Date.now() });
}

/** Option parser: a number as the API accepts it. */
function readLimit(written: string): string {
  const limit = /^\d{1,3}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw new InvalidArgumentError(`Write a number from 1 to ${LIMIT_MAX}.`);
  return written;
}
