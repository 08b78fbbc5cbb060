/**
 * The command for one kind of change to invocations, which ids or filters select: shows them, asks for confirmation, changes them,
 * and reports each outcome.
 */
import { Command, Option } from "commander";
import type { BatchBody } from "../../../shared/api/contract/changes.ts";
import { type BatchOutcome, batchOutcomes } from "../../../shared/api/wire/batch-outcomes.ts";
import type { InvocationBody, InvocationListBody } from "../../../shared/api/contract/invocations.ts";
import { OUTCOME_WORDS } from "../../../shared/api/wire/status-words.ts";
import { CommandFailure, EXIT_ABORTED, EXIT_REFUSED, EXIT_USAGE } from "../text/command-failure.ts";
import {
  countsText,
  failUnlessAccepted,
  FROM_DEFAULT,
  notesText,
  outcomeText,
  unansweredFix,
  type InvocationChange,
} from "./invocation-changes.ts";
import { filterOptions, filterQuery, type Flags, olderThanOption } from "./invocation-filter.ts";
import { commandFrom } from "../http/next-command.ts";
import { type Session, sessionOf, yesOption } from "../http/session.ts";
import { tableText } from "../text/table.ts";
import { TARGET_MAX, cutLine, foreignLine } from "../text/visible-text.ts";

const STATUS_NOTED = 202;
const PAGE_SIZE = 500;
/** A page may be empty although more follow: one request reads only a part of the index. */
const PAGES_MAX = 1000;
/** A change of more invocations takes several runs, so that the user can review the invocations of each confirmation question. */
const MATCHES_MAX = 10_000;
/** Small enough for the 30 s that API Gateway waits for an answer: the server changes twenty invocations at a time. */
const BATCH_SIZE = 100;
const SHOWN_MAX = 20;
/** Completed invocations have no pin that the API could filter by. */
const ENDED: readonly string[] = ["completed", ...OUTCOME_WORDS];

type Found = Pick<InvocationBody, "id"> & Partial<Pick<InvocationBody, "target" | "status" | "outcome">>;

interface CarriedOut {
  /** One for each invocation. */
  readonly outcomes: readonly BatchOutcome[];
  /** The failure that ended the work early. */
  readonly failure?: unknown;
}

export function changeCommand(change: InvocationChange): Command {
  const command = new Command(change.name).description(change.description);
  if (change.alias !== undefined) command.alias(change.alias);
  command.argument("[invocation-id...]", "the invocations; none with filters, which select all that match");
  const dryRun = new Option("--dry-run", "show which invocations would be changed, and change nothing");
  for (const option of [...change.options, ...bulkOptions(change), dryRun, yesOption()]) command.addOption(option);
  return command.action((ids: string[], flags: Flags, self: Command) =>
    isByFilter(change, ids, flags)
      ? changeByFilter(sessionOf(self), change, flags)
      : changeByIds(sessionOf(self), change, ids, flags),
  );
}

/**
 * The options by which a change selects invocations in place of ids. If the change takes a deployment to continue on,
 * `--deployment` names that deployment, and `--pinned-to` is the filter.
 */
function bulkOptions({ statuses, query }: InvocationChange): readonly Option[] {
  const isPinned = statuses.every((status) => !ENDED.includes(status));
  const deployment = query.includes("deployment") ? "pinned-to" : "deployment";
  return [
    ...filterOptions("repeated", statuses, isPinned ? deployment : "none"),
    olderThanOption(),
    new Option("--after <position>", "go on after this position, which a command that did not reach all has shown"),
  ];
}

/** @throws CommandFailure unless the command line has either ids or filters */
function isByFilter(change: InvocationChange, ids: readonly string[], flags: Flags): boolean {
  const names = bulkOptions(change).map((option) => option.attributeName());
  // A position alone selects nothing: it would stand for all that is open.
  const isFiltered = names.some((name) => name !== "after" && name in flags);
  if (flags["after"] !== undefined && !isFiltered)
    throw new CommandFailure("--after goes on with filters, and there are none", {
      exitCode: EXIT_USAGE,
      fix: "Give the filters of the command that has shown the position.",
    });
  if (isFiltered !== ids.length > 0) return isFiltered;
  throw new CommandFailure(
    isFiltered ? "Ids and filters exclude each other" : "The invocations to change are missing",
    {
      exitCode: EXIT_USAGE,
      fix: `Give ids, or filters such as --service; each filter takes one value, and may be repeated: see stepwell invocations ${change.name} --help.`,
    },
  );
}

/** All ids are looked up first, so that a mistyped id fails before any invocation changes. */
async function changeByIds(session: Session, change: InvocationChange, ids: readonly string[], flags: Flags) {
  const query = new URLSearchParams(change.query.map((name): [string, string] => [name, String(flags[name])]));
  const route = query.size === 0 ? change.route : `${change.route}?${query.toString()}`;
  const found: Found[] = [];
  for (const id of ids) found.push(await lookUp(session, change, id));
  const table = foundTable(session, found);
  if (flags["dryRun"] === true)
    return session.give({ dry_run: true, invocations: briefly(found) }, () => `${table}\n\nNothing was changed.`);
  session.show(`${table}\n`);
  await confirm(session, change, ids.length);
  const { outcomes, failure } = await changeEach(session, ids, route);
  session.give({ invocations: outcomes }, () =>
    outcomes.map((outcome, at) => outcomeText(change, outcome, found[at]?.status)).join("\n"),
  );
  if (failure !== undefined) throw failure;
  failUnlessAccepted(change, outcomes);
}

/** @returns the id alone for an invocation that is not shown, if the change also reaches such an invocation */
async function lookUp(session: Session, change: InvocationChange, id: string): Promise<Found> {
  try {
    return (await session.admin.ask<InvocationBody>("GET", pathOf(id))).body;
  } catch (error) {
    const isNotFound = error instanceof CommandFailure && error.text.cause?.startsWith("404 ") === true;
    if (change.reachesHidden === true && isNotFound) return { id };
    throw error;
  }
}

function pathOf(id: string): string {
  return `invocations/${encodeURIComponent(id)}`;
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
      return { outcomes: [...outcomes, ...unanswered(ids.slice(at))], failure };
    }
  }
  return { outcomes };
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

function unanswered(ids: readonly string[]): readonly BatchOutcome[] {
  return ids.map((id) => ({ id, outcome: "unanswered" }));
}

async function changeByFilter(session: Session, change: InvocationChange, flags: Flags): Promise<void> {
  const isDryRun = flags["dryRun"] === true;
  const query = filterQueryOf(change, flags);
  if (!isDryRun && !session.canConfirm) throw notConfirmable();
  const { found, next } = await matching(session, query);
  const ids = found.map(({ id }) => id);
  const counts = { matched: ids.length, may_have_more: next !== undefined, ...(next !== undefined && { next }) };
  const table = `${matchTable(session, found)}\n\n${countText(found, next)}`;
  if (isDryRun || ids.length === 0) {
    session.give({ ...counts, ...(isDryRun && { dry_run: true }), invocations: briefly(found) }, () => {
      if (found.length > 0) return `${table}\nNothing was changed.`;
      return next === undefined ? "No invocation matches." : "No invocation matches among those read so far.";
    });
    return tellRest(session, next);
  }
  if (next !== undefined && change.makesNew === true) throw notWhole(ids.length);
  session.show(`${table}\n`);
  await confirm(session, change, ids.length);
  const { outcomes, failure } = await changeBatches(session, change, ids, flags);
  const statuses = new Map(found.map(({ id, status = "" }) => [id, status]));
  session.give({ ...counts, invocations: outcomes }, () =>
    [countsText(change, outcomes), ...notesText(change, outcomes, statuses)].join("\n"),
  );
  if (failure !== undefined && change.makesNew === true && !session.json) session.terminal.tell(unansweredFix(change));
  tellRest(session, next);
  if (failure !== undefined) throw failure;
  failUnlessAccepted(change, outcomes);
}

/** @throws CommandFailure if `--from` names an entry, or statuses exclude each other */
function filterQueryOf({ query: takes, statuses }: InvocationChange, flags: Flags): URLSearchParams {
  if (flags["from"] !== undefined && flags["from"] !== FROM_DEFAULT)
    throw new CommandFailure("--from and filters exclude each other", {
      exitCode: EXIT_USAGE,
      fix: "Give the ids of the invocations: an entry belongs to the journal of one invocation.",
    });
  const deployment = takes.includes("deployment") ? flags["pinnedTo"] : flags["deployment"];
  const query = filterQuery({ ...flags, deployment, status: flags["status"] ?? statuses });
  if (typeof flags["after"] === "string") query.set("after", flags["after"]);
  return query;
}

/** @returns the invocations that match; `next` is the position from which another run goes on, after a bound has ended this one */
async function matching(
  session: Session,
  query: URLSearchParams,
): Promise<{ readonly found: readonly Found[]; readonly next: string | undefined }> {
  // An invocation whose status changes between two pages may be on both.
  const byId = new Map<string, Found>();
  query.set("details", "false");
  for (let pages = 1, read = 0; ; pages++) {
    // The last page ends with the last match, so that its position is the one from which the next run goes on.
    query.set("limit", String(Math.min(PAGE_SIZE, MATCHES_MAX - byId.size)));
    const path = `invocations?${query.toString()}`;
    const what = `Looking for invocations: ${read} read`;
    const { invocations, next } = (await session.admin.ask<InvocationListBody>("GET", path, undefined, what)).body;
    read += invocations.length;
    for (const one of invocations) byId.set(one.id, one);
    if (next === undefined || byId.size >= MATCHES_MAX || pages >= PAGES_MAX)
      return { found: [...byId.values()].slice(0, MATCHES_MAX), next };
    query.set("after", next);
  }
}

async function changeBatches(
  session: Session,
  change: InvocationChange,
  ids: readonly string[],
  flags: Flags,
): Promise<CarriedOut> {
  const path = `internal/invocations_batch_operations/${change.route}`;
  const options = change.query.includes("deployment") ? { deployment: flags["deployment"] } : {};
  const outcomes: BatchOutcome[] = [];
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const batchIds = ids.slice(at, at + BATCH_SIZE);
    const batch = { invocation_ids: batchIds, ...options };
    const what = `${change.noted}: ${at} of ${ids.length} done`;
    try {
      const { body } = await session.admin.ask<Partial<BatchBody> | undefined>("POST", path, batch, what);
      outcomes.push(...batchOutcomes(batchIds, body));
    } catch (failure) {
      return { outcomes: [...outcomes, ...unanswered(ids.slice(at))], failure };
    }
  }
  return { outcomes };
}

async function confirm(session: Session, change: InvocationChange, count: number): Promise<void> {
  await session.confirm(`${change.question} ${count === 1 ? "this invocation" : `these ${count} invocations`}?`);
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

/** The members of the invocations in the output as JSON. */
function briefly(found: readonly Found[]): readonly Found[] {
  return found.map(({ id, target, status, outcome }) => ({ id, target, status, outcome }) as Found);
}

function foundTable({ terminal }: Session, found: readonly Found[]): string {
  const rows = found.map(({ id, target = "-", status = "not shown", outcome = status }) => [
    foreignLine(id),
    cutLine(target, TARGET_MAX),
    foreignLine(outcome),
  ]);
  return tableText(terminal.colours, ["ID", "TARGET", "STATUS"], rows);
}

function matchTable(session: Session, found: readonly Found[]): string {
  const rest = found.length - SHOWN_MAX;
  return `${foundTable(session, found.slice(0, SHOWN_MAX))}${rest > 0 ? `\n… and ${rest} more` : ""}`;
}

/** `At least 3 matching: 2 paused, 1 failed`. */
function countText(found: readonly Found[], next: string | undefined): string {
  const counts = new Map<string, number>();
  for (const { status = "", outcome = status } of found) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${foreignLine(word)}`);
  return `${next === undefined ? "" : "At least "}${found.length} matching: ${parts.join(", ")}`;
}
