/** A change of all invocations that match filters: counts them, asks for confirmation, and reports the outcomes. */
import type { BatchBody } from "../../../shared/api/wire/admin.ts";
import { type BatchOutcome, batchOutcomes } from "../../../shared/api/wire/batch-outcomes.ts";
import type { InvocationSummaryBody } from "../../../shared/api/wire/invocation.ts";
import { countsText, failUnlessAccepted, notesText, unansweredFix } from "./change-outcome.ts";
import type { CarriedOut } from "./change-outcome.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_ABORTED, EXIT_USAGE } from "../text/exit-codes.ts";
import type { FilteredChange } from "./filtered-change.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { filterQuery } from "./invocation-filter.ts";
import { commandFrom } from "../http/next-command.ts";
import { matching } from "./matching-invocations.ts";
import type { Matching } from "./matching-invocations.ts";
import type { Session } from "../http/session.ts";
import { tableText } from "../text/table.ts";
import { TARGET_MAX, cutLine, foreignLine } from "../text/visible-text.ts";

/** Small enough for the 30 s that API Gateway waits for an answer: the server changes twenty invocations at a time. */
const BATCH_SIZE = 100;
const SHOWN_MAX = 20;

export async function changeByFilter(session: Session, change: InvocationChange, asked: FilteredChange): Promise<void> {
  if (!asked.isDryRun && !session.canConfirm) throw notConfirmable();
  const { filter, olderThanMs } = asked;
  const query = filterQuery({ ...filter, status: filter.status ?? change.statuses });
  if (asked.after !== undefined) query.set("after", asked.after);
  const found = await matching(session, query, olderThanMs);
  const ids = found.invocations.map(({ id }) => id);
  const { next } = found;
  const counts = { matched: ids.length, may_have_more: next !== undefined, ...(next !== undefined && { next }) };
  if (asked.isDryRun || ids.length === 0) {
    const invocations = found.invocations.map(({ id, target, status, outcome }) => ({ id, target, status, outcome }));
    session.give({ ...counts, ...(asked.isDryRun && { dry_run: true }), invocations }, () => dryText(session, found));
  } else {
    if (next !== undefined && change.makesNew === true) throw notWhole(ids.length);
    session.show(`${matchText(session, found)}\n`);
    await session.confirm(
      `${change.question} ${ids.length === 1 ? "this invocation" : `these ${ids.length} invocations`}?`,
    );
    const { outcomes, failure } = await carryOut(session, change, ids, asked.deployment);
    const statuses = new Map(found.invocations.map(({ id, status }) => [id, status]));
    session.give({ ...counts, invocations: outcomes }, () =>
      [countsText(change, outcomes), ...notesText(change, outcomes, statuses)].join("\n"),
    );
    if (failure !== undefined && change.makesNew === true && !session.json)
      session.terminal.tell(unansweredFix(change));
    tellRest(session, next);
    if (failure !== undefined) throw failure;
    return failUnlessAccepted(change, outcomes);
  }
  tellRest(session, next);
}

/** Describes the rest: the command did not read the older invocations. */
function tellRest({ json, terminal }: Session, next: string | undefined): void {
  if (next !== undefined && !json)
    terminal.tell(`Not all were read, and more may match. The rest: ${foreignLine(commandFrom(next))}`);
}

function notConfirmable(): CommandFailure {
  return new CommandFailure("Nothing was changed: filters require a confirmation, or --yes", {
    exitCode: EXIT_ABORTED,
    cause: "there is no terminal for the question",
    fix: "Pass --yes to make the change without a question, or --dry-run to see which invocations match.",
  });
}

/** A second run would begin with the same invocations, and restart them a second time. */
function notWhole(count: number): CommandFailure {
  return new CommandFailure(`Nothing was changed: more than these ${count} invocations may match`, {
    exitCode: EXIT_USAGE,
    cause: "restarted invocations still match, so another run for the rest would restart them again",
    fix: "Select fewer, for instance by --service, --handler or --older-than, or give ids.",
  });
}

async function carryOut(
  session: Session,
  change: InvocationChange,
  ids: readonly string[],
  deployment: string | undefined,
): Promise<CarriedOut> {
  const path = `internal/invocations_batch_operations/${change.route}`;
  const outcomes: BatchOutcome[] = [];
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const batchIds = ids.slice(at, at + BATCH_SIZE);
    const batch = { invocation_ids: batchIds, ...(deployment !== undefined && { deployment }) };
    const what = `${change.noted}: ${at} of ${ids.length} done`;
    try {
      const { body } = await session.admin.ask<Partial<BatchBody> | undefined>("POST", path, batch, what);
      outcomes.push(...batchOutcomes(batchIds, body));
    } catch (failure) {
      const unanswered = ids.slice(at).map((id): BatchOutcome => ({ id, outcome: "unanswered" }));
      return { outcomes: [...outcomes, ...unanswered], failure };
    }
  }
  return { outcomes };
}

function dryText(session: Session, found: Matching): string {
  if (found.invocations.length > 0) return `${matchText(session, found)}\nNothing was changed.`;
  return found.next === undefined ? "No invocation matches." : "No invocation matches among those read so far.";
}

function matchText({ terminal }: Session, { invocations, next }: Matching): string {
  const shown = invocations
    .slice(0, SHOWN_MAX)
    .map(({ id, target, status, outcome }) => [
      foreignLine(id),
      cutLine(target, TARGET_MAX),
      foreignLine(outcome ?? status),
    ]);
  const table = tableText(terminal.colours, ["ID", "TARGET", "STATUS"], shown);
  const rest = invocations.length - shown.length;
  const count = `${next === undefined ? "" : "At least "}${invocations.length} matching: ${statusCounts(invocations)}`;
  return [table, ...(rest > 0 ? [`… and ${rest} more`] : []), "", count].join("\n");
}

function statusCounts(invocations: readonly InvocationSummaryBody[]): string {
  const counts = new Map<string, number>();
  for (const { status, outcome } of invocations)
    counts.set(outcome ?? status, (counts.get(outcome ?? status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${foreignLine(status)}`).join(", ");
}
