/** A change of all invocations that match filters: counts them, asks for confirmation, and reports the outcomes. */
import type { BatchBody } from "../../shared/api/wire/admin.ts";
import { type BatchOutcome, batchOutcomes } from "../../shared/api/wire/batch-outcomes.ts";
import type { InvocationSummaryBody } from "../../shared/api/wire/invocation.ts";
import { countsText, failUnlessAccepted, notesText, unansweredFix } from "./change-outcome.ts";
import type { CarriedOut } from "./change-outcome.ts";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_ABORTED, EXIT_USAGE } from "./exit-codes.ts";
import type { FilteredChange } from "./filtered-change.ts";
import type { InvocationChange } from "./invocation-changes.ts";
import { filterQuery } from "./invocation-filter.ts";
import { matching } from "./matching-invocations.ts";
import type { Matching } from "./matching-invocations.ts";
import type { Session } from "./session.ts";
import { tableText } from "./table.ts";
import { TARGET_MAX, cutLine, foreignLine } from "./visible-text.ts";

/** Small enough for the 30 s that API Gateway waits for an answer: the server changes twenty invocations at a time. */
const BATCH_SIZE = 100;
const SHOWN_MAX = 20;
const AGAIN = "More invocations may match: run the command again.";
const NARROWER = "More invocations may match: select fewer, for instance by --service or --status.";

export async function changeByFilter(session: Session, change: InvocationChange, asked: FilteredChange): Promise<void> {
  if (!asked.isDryRun && !session.canConfirm) throw notConfirmable();
  const { filter, olderThanMs } = asked;
  const query = filterQuery({ ...filter, status: filter.status ?? change.statuses });
  const found = await matching(session, query, olderThanMs);
  const ids = found.invocations.map(({ id }) => id);
  const counts = { matched: ids.length, may_have_more: found.mayHaveMore };
  if (asked.isDryRun || ids.length === 0) {
    const invocations = found.invocations.map(({ id, target, status, outcome }) => ({ id, target, status, outcome }));
    session.give({ ...counts, ...(asked.isDryRun && { dry_run: true }), invocations }, () => dryText(session, found));
  } else {
    if (found.mayHaveMore && change.makesNew === true) throw notWhole(ids.length);
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
    if (failure !== undefined) throw failure;
    failUnlessAccepted(change, outcomes);
  }
  if (found.mayHaveMore && !session.json) session.terminal.tell(asked.isDryRun || ids.length === 0 ? NARROWER : AGAIN);
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
  return found.mayHaveMore ? "No invocation matches among those read so far." : "No invocation matches.";
}

function matchText({ terminal }: Session, { invocations, mayHaveMore }: Matching): string {
  const shown = invocations
    .slice(0, SHOWN_MAX)
    .map(({ id, target, status, outcome }) => [
      foreignLine(id),
      cutLine(target, TARGET_MAX),
      foreignLine(outcome ?? status),
    ]);
  const table = tableText(terminal.colours, ["ID", "TARGET", "STATUS"], shown);
  const rest = invocations.length - shown.length;
  const count = `${mayHaveMore ? "At least " : ""}${invocations.length} matching: ${statusCounts(invocations)}`;
  return [table, ...(rest > 0 ? [`… and ${rest} more`] : []), "", count].join("\n");
}

function statusCounts(invocations: readonly InvocationSummaryBody[]): string {
  const counts = new Map<string, number>();
  for (const { status, outcome } of invocations)
    counts.set(outcome ?? status, (counts.get(outcome ?? status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${foreignLine(status)}`).join(", ");
}
