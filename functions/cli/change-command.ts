/** The command for one kind of change to invocations: looks them up, asks for confirmation, and reports each outcome. */
import { Command } from "commander";
import type { InvocationBody } from "../../shared/api/wire/invocation.ts";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_REFUSED } from "./exit-codes.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { sessionOf, yesOption } from "./session.ts";
import type { Session } from "./session.ts";
import { tableText } from "./table.ts";
import { foreignText } from "./visible-text.ts";

const STATUS_NOTED = 202;

type Flags = Readonly<Record<string, string | true>>;

interface Outcome {
  readonly id: string;
  readonly outcome: "done" | "noted" | "refused";
  readonly message?: string;
  /** The id of the new invocation after a restart. */
  readonly new_invocation_id?: string;
}

export function changeCommand(change: InvocationChange): Command {
  const command = new Command(change.name).description(change.description).argument("<invocation-id...>");
  if (change.alias !== undefined) command.alias(change.alias);
  for (const option of [...change.options, yesOption()]) command.addOption(option);
  return command.action((ids: string[], flags: Flags, self: Command) => {
    const query = new URLSearchParams(change.query.map((name): [string, string] => [name, String(flags[name])]));
    return carryOut(
      sessionOf(self),
      change,
      ids,
      query.size === 0 ? change.route : `${change.route}?${query.toString()}`,
    );
  });
}

/** All ids are looked up first, so that a mistyped id fails before any invocation changes. */
async function carryOut(
  session: Session,
  change: InvocationChange,
  ids: readonly string[],
  route: string,
): Promise<void> {
  const found: InvocationBody[] = [];
  for (const id of ids) found.push((await session.admin.ask<InvocationBody>("GET", pathOf(id))).body);
  const rows = found.map(({ id, target, status }) => [id, target, status]);
  session.show(`${tableText(session.terminal.colours, ["ID", "TARGET", "STATUS"], rows)}\n`);
  await session.confirm(
    `${change.question} ${ids.length === 1 ? "this invocation" : `these ${ids.length} invocations`}?`,
  );
  const outcomes: Outcome[] = [];
  for (const { id } of found) outcomes.push(await changeOne(session, id, route, ids.length === 1));
  session.give({ invocations: outcomes }, () => outcomes.map((outcome) => outcomeText(change, outcome)).join("\n"));
  const refused = outcomes.filter(({ outcome }) => outcome === "refused").length;
  if (refused === 0) return;
  throw new CommandFailure(`The server refused ${refused} of ${outcomes.length}`, { exitCode: EXIT_REFUSED });
}

function pathOf(id: string): string {
  return `invocations/${encodeURIComponent(id)}`;
}

/** A refusal of one invocation does not stop the others; the refusal of a single invocation fails the command. */
async function changeOne({ admin }: Session, id: string, route: string, alone: boolean): Promise<Outcome> {
  type Answered = { readonly new_invocation_id?: string } | undefined;
  try {
    const { status, body } = await admin.ask<Answered>("PATCH", `${pathOf(id)}/${route}`);
    const newId = body?.new_invocation_id;
    const outcome = status === STATUS_NOTED ? "noted" : "done";
    return { id, outcome, ...(newId === undefined ? {} : { new_invocation_id: newId }) };
  } catch (error) {
    if (alone || !(error instanceof CommandFailure) || error.text.exitCode !== EXIT_REFUSED) throw error;
    return { id, outcome: "refused", message: error.message };
  }
}

function outcomeText(change: InvocationChange, { id, outcome, message, new_invocation_id: newId }: Outcome): string {
  if (outcome === "refused") return `Refused    ${id}: ${foreignText(message ?? "")}`;
  return `${change[outcome]} ${id}${newId === undefined ? "" : ` as ${newId}`}`;
}
