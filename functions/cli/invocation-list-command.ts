/** `stepwell invocations list`: prints one page of invocations that match the filters. */
import { Command } from "commander";
import type { InvocationListBody } from "../../shared/api/wire/invocation.ts";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_USAGE } from "./exit-codes.ts";
import { momentText } from "./moment.ts";
import { sessionOf } from "./session.ts";
import type { Session } from "./session.ts";
import { tableText } from "./table.ts";
import { foreignText } from "./visible-text.ts";

/** Each filter has the same name as its query parameter. */
const FILTERS = ["status", "service", "handler", "key", "deployment"] as const;

const OUTCOMES = new Set<string>(["succeeded", "failed", "cancelled", "killed"]);
const LIMIT_DEFAULT = 100;
/** The most requests for one list: the server bounds only the work of each single request. */
const PAGES_MAX = 5;
/** Widths in characters. */
const WIDTH_DEFAULT = 120;
const TARGET_MAX = 40;
const ERROR_MIN = 20;

interface ListFlags extends Readonly<Partial<Record<(typeof FILTERS)[number], readonly string[]>>> {
  readonly limit?: string;
  readonly after?: string;
  readonly ids?: true;
}

export function invocationListCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List invocations, the newest first.")
    .option(
      "--status <status...>",
      "only invocations with one of these statuses; `open` means all but completed; an outcome such as `failed` selects among the completed ones",
    )
    .option("--service <name...>", "only invocations of these services")
    .option("--handler <name...>", "only invocations of these handlers")
    .option("--key <key...>", "only invocations of these keys of objects or workflows")
    .option("--deployment <id...>", "only open invocations that are pinned to these deployments")
    .option("--ids", "print the ids alone, one per line")
    .option("--limit <count>", "the largest number of invocations to list (default: 100)")
    .option("--after <position>", "list the page after this position, which the previous page shows")
    .action((flags: ListFlags, command: Command) => list(sessionOf(command), flags));
}

async function list(session: Session, flags: ListFlags): Promise<void> {
  const query = new URLSearchParams();
  for (const name of FILTERS) for (const value of flags[name] ?? []) query.append(...filterOf(name, value));
  for (const name of ["limit", "after"] as const) if (flags[name] !== undefined) query.set(name, flags[name]);
  if (query.has("status") && query.has("outcome"))
    throw new CommandFailure("Outcomes and other statuses cannot be listed together", {
      exitCode: EXIT_USAGE,
      fix: "List the outcomes (succeeded, failed, cancelled, killed) and the other statuses in two commands.",
    });
  const body = await pagesOf(session, query);
  const isEmpty = flags.ids === true && !session.json && body.invocations.length === 0;
  if (!isEmpty) session.give(body, () => listText(session, body, flags.ids === true));
  if (!session.json && body.next !== undefined)
    session.terminal.tell(`More invocations may follow: --after ${body.next}`);
}

/** A page of the API may end before it is full; the next pages then show whether more follows. */
async function pagesOf(session: Session, query: URLSearchParams): Promise<InvocationListBody> {
  const invocations: InvocationListBody["invocations"][number][] = [];
  let limit = Number(query.get("limit") ?? LIMIT_DEFAULT);
  for (let pages = 1; ; pages++) {
    const { body } = await session.admin.ask<InvocationListBody>("GET", `invocations?${query.toString()}`);
    invocations.push(...body.invocations);
    limit -= body.invocations.length;
    const { next } = body;
    if (next === undefined) return { invocations };
    if (limit <= 0 || pages >= PAGES_MAX) return { invocations, next };
    query.set("limit", String(limit));
    query.set("after", next);
  }
}

/** The API has a separate filter for the ends of completed invocations. */
function filterOf(name: string, value: string): [string, string] {
  return name === "status" && OUTCOMES.has(value) ? ["outcome", value] : [name, value];
}

function listText({ terminal }: Session, { invocations, next }: InvocationListBody, isIds: boolean): string {
  if (isIds) return invocations.map(({ id }) => id).join("\n");
  if (invocations.length === 0)
    return next === undefined ? "No invocation matches." : "No invocation matches among those read so far.";
  const width = process.stdout.columns ?? WIDTH_DEFAULT;
  const rows = invocations.map((row) => [
    row.id,
    cut(row.target, TARGET_MAX),
    row.outcome ?? row.status,
    momentText(row.created_at),
    row.attempts === undefined ? "" : String(row.attempts),
    row.next_retry_at === undefined ? "" : momentText(row.next_retry_at),
  ]);
  const heads = ["ID", "TARGET", "STATUS", "CREATED", "ATTEMPTS", "NEXT RETRY"];
  // The error gets the rest of the line, but at least `ERROR_MIN` characters.
  const taken = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]!.length)) + 2);
  const room = Math.max(ERROR_MIN, width - taken.reduce((sum, size) => sum + size, 0));
  const errors = invocations.map(({ error }) =>
    error === undefined ? "" : cut(`${error.code} ${error.message}`, room),
  );
  const shown = rows.map((row, at) => [...row, errors[at]!]);
  const isFilled = [...heads, "ERROR"].map((_, at) => at < 4 || shown.some((row) => row[at] !== ""));
  const filled = (row: readonly string[]): string[] => row.filter((_, at) => isFilled[at]);
  return tableText(terminal.colours, filled([...heads, "ERROR"]), shown.map(filled));
}

/** Returns only the first line, and cuts it if it is too long. */
function cut(text: string, max: number): string {
  const [line = ""] = foreignText(text).split("\n");
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
