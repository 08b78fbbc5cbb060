/** The command for one kind of change to invocations: looks them up, asks for confirmation, and reports each outcome. */
import { Command } from "commander";
import type { InvocationBody } from "../../../shared/api/wire/invocation.ts";
import { changeByFilter } from "./change-by-filter.ts";
import { failUnlessAccepted, outcomeText } from "./change-outcome.ts";
import type { BatchOutcome } from "../../../shared/api/wire/batch-outcomes.ts";
import type { CarriedOut } from "./change-outcome.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_REFUSED } from "../text/exit-codes.ts";
import { bulkOptions, dryRunOption, filteredChange, isByFilter } from "./filtered-change.ts";
import type { FilterFlags } from "./filtered-change.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { sessionOf, yesOption } from "../http/session.ts";
import type { Session } from "../http/session.ts";
import { tableText } from "../text/table.ts";
import { TARGET_MAX, cutLine, foreignLine } from "../text/visible-text.ts";

const STATUS_NOTED = 202;

export function changeCommand(change: InvocationChange): Command {
  const command = new Command(change.name).description(change.description);
  if (change.alias !== undefined) command.alias(change.alias);
  command.argument("[invocation-id...]", "the invocations; none with filters, which select all that match");
  const options = [...change.options, ...bulkOptions(change), dryRunOption(), yesOption()];
  for (const option of options) command.addOption(option);
  return command.action((ids: string[], flags: FilterFlags, self: Command) => {
    const session = sessionOf(self);
    const values = self.opts<Readonly<Record<string, string>>>();
    if (isByFilter(change, ids, flags)) return changeByFilter(session, change, filteredChange(change, flags, values));
    const query = new URLSearchParams(change.query.map((name): [string, string] => [name, String(values[name])]));
    const route = query.size === 0 ? change.route : `${change.route}?${query.toString()}`;
    return carryOut(session, change, { ids, route, isDryRun: flags.dryRun === true });
  });
}

type Found = Pick<InvocationBody, "id"> & Partial<Pick<InvocationBody, "target" | "status" | "outcome">>;

/** @returns the id alone for an invocation that is not shown, if the change also reaches such an invocation */
async function lookUp(session: Session, change: InvocationChange, id: string): Promise<Found> {
  try {
    return (await session.admin.ask<InvocationBody>("GET", pathOf(id))).body;
  } catch (error) {
    if (change.reachesHidden === true && isNotFound(error)) return { id };
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof CommandFailure && error.text.cause?.startsWith("404 ") === true;
}

/** All ids are looked up first, so that a mistyped id fails before any invocation changes. */
async function carryOut(
  session: Session,
  change: InvocationChange,
  { ids, route, isDryRun }: { readonly ids: readonly string[]; readonly route: string; readonly isDryRun: boolean },
): Promise<void> {
  const found: Found[] = [];
  for (const id of ids) found.push(await lookUp(session, change, id));
  const rows = found.map(({ id, target, status, outcome }) => [
    foreignLine(id),
    cutLine(target ?? "-", TARGET_MAX),
    foreignLine(outcome ?? status ?? "not shown"),
  ]);
  const table = tableText(session.terminal.colours, ["ID", "TARGET", "STATUS"], rows);
  if (isDryRun) {
    const invocations = found.map(({ id, target, status, outcome }) => ({ id, target, status, outcome }));
    return session.give({ dry_run: true, invocations }, () => `${table}\n\nNothing was changed.`);
  }
  session.show(`${table}\n`);
  await session.confirm(
    `${change.question} ${ids.length === 1 ? "this invocation" : `these ${ids.length} invocations`}?`,
  );
  const { outcomes, failure } = await changeEach(session, ids, route);
  session.give({ invocations: outcomes }, () =>
    outcomes.map((outcome, at) => outcomeText(change, outcome, found[at]?.status)).join("\n"),
  );
  if (failure !== undefined) throw failure;
  failUnlessAccepted(change, outcomes);
}

/**
 * A failure other than a refusal ends the work; its invocation and all later ones are then reported as unanswered.
 * @throws the failure, if there is only one id
 */
async function changeEach(session: Session, ids: readonly string[], route: string): Promise<CarriedOut> {
  const outcomes: BatchOutcome[] = [];
  for (const [at, id] of ids.entries()) {
    try {
      outcomes.push(await changeOne(session, id, route, ids.length === 1));
    } catch (failure) {
      if (ids.length === 1) throw failure;
      const unanswered = ids.slice(at).map((one): BatchOutcome => ({ id: one, outcome: "unanswered" }));
      return { outcomes: [...outcomes, ...unanswered], failure };
    }
  }
  return { outcomes };
}

function pathOf(id: string): string {
  return `invocations/${encodeURIComponent(id)}`;
}

/** @throws any failure; but if there are several invocations, a refusal is returned as the outcome and not thrown */
async function changeOne({ admin }: Session, id: string, route: string, alone: boolean): Promise<BatchOutcome> {
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
