/** The changes to invocations that the CLI offers: command names, routes, questions and outcome texts. */
import { Option } from "commander";
import { CHANGE_STATUSES } from "../../../shared/api/wire/change-statuses.ts";
import type { BatchOutcome, OutcomeKind } from "../../../shared/api/wire/batch-outcomes.ts";
import { CommandFailure, EXIT_REFUSED } from "../text/command-failure.ts";
import { foreignLine } from "../text/visible-text.ts";

export interface InvocationChange {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** The last segment of the route, and the options that become its query. */
  readonly route: string;
  readonly query: readonly string[];
  /** The first word of the confirmation question. */
  readonly question: string;
  readonly done: string;
  /** The text for an answer 202: the server has recorded the change and applies it later. */
  readonly noted: string;
  /** Printed at the end of a line that begins with `noted`. */
  readonly notedNote?: string;
  /** By the status before the change: a text about its effect, which the command prints after the outcome `done`. */
  readonly doneNotes?: Readonly<Record<string, string>>;
  /** The statuses that a change by filters selects by default. */
  readonly statuses: readonly string[];
  /** Each run makes new invocations, and the old ones match the same filters as before. */
  readonly makesNew?: true;
  /** The change also reaches an invocation that the server does not show: one that has expired, or ended before its first attempt. */
  readonly reachesHidden?: true;
}

const deployment = (fallback: string): Option =>
  new Option("--deployment <id>", "the deployment to continue on: its id, `keep` or `latest`").default(fallback);

/** The index of the entry with the input. A restart from this entry keeps no other entry of the journal. */
export const FROM_DEFAULT = "0";

/** The server accepts a resume in these statuses too, and it does less there than the word says. */
const ALREADY_UNDER_WAY = "an attempt was under way already, and goes on";
const RESUME_NOTES = {
  suspended: "an attempt starts now, and what it waits for stays: a sleep ends no earlier",
  running: ALREADY_UNDER_WAY,
  ready: ALREADY_UNDER_WAY,
};

const PLAIN = { options: [], query: [] } as const;

export const INVOCATION_CHANGES: readonly InvocationChange[] = [
  {
    ...PLAIN,
    name: "cancel",
    statuses: CHANGE_STATUSES.cancel,
    description: "Cancel invocations: the handler receives the cancellation at its next step, and may undo its work.",
    route: "cancel",
    question: "Cancel",
    done: "Cancelled",
    noted: "Cancelling",
  },
  {
    ...PLAIN,
    name: "kill",
    statuses: CHANGE_STATUSES.kill,
    description: "End invocations at once: the handler is not notified, and nothing is undone.",
    route: "kill",
    question: "Kill",
    done: "Killed",
    noted: "Killing",
  },
  {
    ...PLAIN,
    name: "pause",
    statuses: CHANGE_STATUSES.pause,
    description:
      "Pause invocations until they are resumed; a running attempt ends first, and an invocation in the queue of a key leaves the queue.",
    route: "pause",
    question: "Pause",
    done: "Paused",
    noted: "Pausing",
    notedNote: ": no further attempt starts, and one that runs may end first",
  },
  {
    name: "resume",
    statuses: CHANGE_STATUSES.resume,
    description:
      "Resume paused invocations, and retry at once those that wait for a retry; one that is suspended is attempted again, and what it waits for stays.",
    doneNotes: RESUME_NOTES,
    options: [deployment("keep")],
    route: "resume",
    query: ["deployment"],
    question: "Resume",
    done: "Resumed",
    noted: "Resuming",
  },
  {
    ...PLAIN,
    name: "purge",
    alias: "rm",
    statuses: CHANGE_STATUSES.purge,
    description: "Delete completed invocations with result, journal and idempotency key.",
    route: "purge",
    reachesHidden: true,
    question: "Purge",
    done: "Purged",
    noted: "Purging",
  },
  {
    name: "restart",
    makesNew: true,
    statuses: CHANGE_STATUSES.restart,
    alias: "restart-as-new",
    description: "Start completed invocations again, with the same input and a new id.",
    options: [
      new Option("--from <entry>", "keep the journal up to this entry, and continue from there").default(FROM_DEFAULT),
      deployment("latest"),
    ],
    route: "restart-as-new",
    query: ["from", "deployment"],
    question: "Restart",
    done: "Restarted",
    noted: "Restarting",
  },
];

const REFUSALS_MAX = 20;
const RESTARTED_SQL = 'stepwell sql "SELECT restarted_from FROM sys_invocation WHERE restarted_from IS NOT NULL"';

/** @throws CommandFailure if the server refused to change an invocation, or did not answer for one */
export function failUnlessAccepted(change: InvocationChange, outcomes: readonly BatchOutcome[]): void {
  const countOf = (kind: OutcomeKind): number => outcomes.filter(({ outcome }) => outcome === kind).length;
  const [refused, unanswered] = [countOf("refused"), countOf("unanswered")];
  const parts = [
    ...(refused === 0 ? [] : [`refused ${refused}`]),
    ...(unanswered === 0 ? [] : [`did not answer for ${unanswered}`]),
  ];
  if (parts.length === 0) return;
  throw new CommandFailure(`The server ${parts.join(" and ")} of ${outcomes.length}`, {
    exitCode: EXIT_REFUSED,
    ...(unanswered > 0 && { fix: unansweredFix(change) }),
  });
}

/** How to go on after a change that the server did not answer for. */
export function unansweredFix(change: InvocationChange): string {
  return change.makesNew === true
    ? `Some of these may have been restarted: \`${RESTARTED_SQL}\` lists those. Restart the others by their ids, because filters still match all.`
    : "Run the command again: it changes what still matches.";
}

/** @param status the status of the invocation before the change; undefined if it is unknown */
export function outcomeText(change: InvocationChange, told: BatchOutcome, status?: string): string {
  const { id, outcome, message = "", new_invocation_id: newId } = told;
  if (outcome === "refused") return foreignLine(`Refused    ${id}: ${message}`);
  const before = outcome === "done" && status !== undefined ? change.doneNotes?.[status] : undefined;
  const note = before === undefined ? noteOf(change, outcome) : `: ${before}`;
  return foreignLine(`${verbOf(change, outcome)} ${id}${newId === undefined ? "" : ` as ${newId}`}${note}`);
}

/** One line for each status before the change that has a note. @param statuses the statuses before the change, by id */
export function notesText(
  { doneNotes = {} }: InvocationChange,
  outcomes: readonly BatchOutcome[],
  statuses: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.entries(doneNotes).flatMap(([status, note]) => {
    const count = outcomes.filter(({ id, outcome }) => outcome === "done" && statuses.get(id) === status).length;
    return count === 0 ? [] : [`${count} of them ${count === 1 ? "was" : "were"} ${status}: ${note}`];
  });
}

/**
 * The refusals, at most twenty, and one line for each kind of outcome with its count. After a change that makes new
 * invocations, the output also names each invocation that the server did not answer for, because the filters match the
 * restarted invocations as well.
 */
export function countsText(change: InvocationChange, outcomes: readonly BatchOutcome[]): string {
  const refused = outcomes.filter(({ outcome }) => outcome === "refused");
  const unanswered = outcomes.filter(({ outcome }) => outcome === "unanswered");
  const more = refused.length - REFUSALS_MAX;
  const kinds = (["done", "noted", "refused", "unanswered"] as const).flatMap((kind) => {
    const count = outcomes.filter(({ outcome }) => outcome === kind).length;
    return count === 0 ? [] : [`${verbOf(change, kind)} ${count} of ${outcomes.length}${noteOf(change, kind)}`];
  });
  return [
    ...refused.slice(0, REFUSALS_MAX).map((one) => outcomeText(change, one)),
    ...(more > 0 ? [`… and ${more} more refusals; --json shows all`] : []),
    ...(change.makesNew === true ? unanswered.map((one) => outcomeText(change, one)) : []),
    ...kinds,
  ].join("\n");
}

function verbOf(change: InvocationChange, outcome: OutcomeKind): string {
  switch (outcome) {
    case "done":
      return change.done;
    case "noted":
      return change.noted;
    case "refused":
      return "Refused";
    case "unanswered":
      return "No answer for";
  }
}

function noteOf(change: InvocationChange, outcome: OutcomeKind): string {
  return outcome === "noted" ? (change.notedNote ?? "") : "";
}
