/** An invocation as text: its facts, its journal, its earlier failures, and its mismatch or the last stack trace. */
import type {
  AttemptFailureBody,
  InvocationBody,
  EntryBody,
  PauseBody,
  WaitBody,
  MismatchBody,
  MismatchSideBody,
  ValueBody,
} from "../../../shared/api/contract/invocations.ts";
import { momentText } from "./moment.ts";
import { indented, pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { cutLine, foreignLine, foreignText } from "./visible-text.ts";
import { pauseWords, waitText } from "../../../shared/api/wire/wait-words.ts";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";

const TRACE_LINES_MAX = 20;
/**
 * The largest width of a text. A longer text is cut, because a terminal would wrap it, and the two sides would no
 * longer be side by side.
 */
const CELL_MAX = 100;

export function invocationText(colours: Colours, body: InvocationBody): string {
  const facts = pairsText(colours, [...statePairs(body), ...originPairs(body), ...attemptPairs(colours, body)]);
  const journal = body.entries.length === 0 ? "" : `\n\n${journalText(colours, body.entries)}`;
  const earlier = body.events
    .slice(0, -1)
    .map((event) => `${momentText(event.at)}  ${timesText(event)}${failureText(event)}`);
  const events = earlier.length === 0 ? "" : `\n\nEarlier failures:\n${indented(earlier.join("\n"))}`;
  if (body.mismatch !== undefined) return `${facts}\n\n${mismatchText(colours, body.mismatch)}${journal}${events}`;
  const trace = body.completion_failure?.stacktrace ?? body.last_failure?.stacktrace;
  return `${facts}${journal}${events}${trace === undefined ? "" : traceText(trace)}`;
}

function timesText({ times = 1, last }: AttemptFailureBody): string {
  return times === 1 ? "" : `${times} times${last === undefined ? "" : `, last at ${momentText(last.at)}`}: `;
}

type Pair = readonly [string, string | undefined];

function statePairs(body: InvocationBody): readonly Pair[] {
  return [
    ["Invocation", foreignLine(body.id)],
    ["Target", foreignLine(body.target)],
    ["Key", optional(body.target_service_key, foreignLine)],
    ["Scope", optional(body.scope, foreignLine)],
    ["Limit key", optional(body.limit_key, foreignLine)],
    ["Status", foreignLine(body.outcome === undefined ? body.status : `${body.status}: ${body.outcome}`)],
    ["Waits for", optional(body.waits_for, (waits) => waitLines(waits).join("\n"))],
    ["Paused", optional(body.pause, pauseText)],
    ["Last action", optional(body.last_action, actionText)],
  ];
}

function originPairs(body: InvocationBody): readonly Pair[] {
  return [
    ["Created", momentText(body.created_at)],
    ["Modified", momentText(body.modified_at)],
    ["Start by", optional(body.start_by, momentText)],
    ["End by", optional(body.end_by, momentText)],
    ["Completed", optional(body.completed_at, momentText)],
    ["Priority", optional(body.priority, String)],
    ["Idempotency key", optional(body.idempotency_key, foreignLine)],
    ["Singleton key", optional(body.singleton_key, foreignLine)],
    ["Called by", optional(body.created_by, foreignLine)],
    ["Invoked by", optional(body.invoked_by, callerText)],
    ["Restarted from", optional(body.restarted_from, foreignLine)],
  ];
}

function attemptPairs(colours: Colours, body: InvocationBody): readonly Pair[] {
  return [
    ["Deployment", optional(body.deployment, deploymentText)],
    ["Last deployment", optional(lastDeployment(body), foreignLine)],
    ["Protocol", optional(body.pinned_service_protocol_version, (version) => `version ${version}`)],
    ["Attempts", attemptsText(body)],
    ["Silent since", optional(body.silent_since, momentText)],
    ["Failed with", optional(body.completion_failure, (failure) => colours.red(endText(failure)))],
    ["Last failure", optional(body.last_failure, (last) => lastFailureText(last, body.mismatch !== undefined))],
  ];
}

/** The number alone looks like the number of failures, but an invocation that waits is attempted again after each wait. */
function attemptsText({ attempts, events }: InvocationBody): string {
  if (attempts <= 1) return String(attempts);
  const failed = events.reduce((sum, { times = 1 }) => sum + times, 0);
  return `${attempts} in all${failed === 0 ? "" : `, ${failed} failed`}; a replay after a wait counts as one`;
}

function callerText({ invocation_id: id, target = "" }: NonNullable<InvocationBody["invoked_by"]>): string {
  return foreignLine(`${target} ${id}`.trim());
}

/** The next attempt may have another deployment than the last attempt, for instance after a resume on the latest deployment. */
function lastDeployment(body: InvocationBody): string | undefined {
  const last = body.pinned_deployment_id ?? body.last_failure?.deployment_id;
  return last === body.deployment?.id ? undefined : last;
}

function optional<Value>(value: Value | undefined, text: (value: Value) => string): string | undefined {
  return value === undefined ? undefined : text(value);
}

function deploymentText({ id, address }: NonNullable<InvocationBody["deployment"]>): string {
  return foreignLine(address === undefined ? `${id}, which is gone` : `${id} at ${address}`);
}

function actionText({ action, at, by }: NonNullable<InvocationBody["last_action"]>): string {
  return foreignLine(`${action} at ${momentText(at)}${by === undefined ? "" : ` by ${by}`}`);
}

function endText({ code, message, metadata = {} }: NonNullable<InvocationBody["completion_failure"]>): string {
  const pairs = Object.entries(metadata).map(([name, value]) => `${name}=${value}`);
  return foreignText(`[${code}] ${message}${pairs.length === 0 ? "" : ` (${pairs.join(", ")})`}`);
}

/**
 * If a table shows the journal mismatch, only the first line of the message is printed: the further lines are the SDK's
 * report of the mismatch, and SDKs confuse the recorded side with the side of the code.
 */
function lastFailureText(last: AttemptFailureBody, isTabled: boolean): string {
  const message = isTabled ? last.message.split("\n", 1)[0]! : last.message;
  return `${failureText({ ...last, message })}, at ${momentText(last.at)}`;
}

function failureText({ error_code: code, message, related_command: command }: AttemptFailureBody): string {
  const where = [command?.type, command?.name].filter((part) => part !== undefined && part !== "").join(" ");
  return foreignText(`${code} ${message}${where === "" ? "" : ` (at ${where})`}`);
}

function traceText(trace: string): string {
  const lines = foreignText(trace).trimEnd().split("\n");
  const more = lines.length - TRACE_LINES_MAX;
  const shown = [...lines.slice(0, TRACE_LINES_MAX), ...(more > 0 ? [`… ${more} more lines; --json shows all`] : [])];
  return `\n\nStack trace:\n${indented(shown.join("\n"))}`;
}

function journalText(colours: Colours, entries: readonly EntryBody[]): string {
  const rows = entries.map((entry) => [
    String(entry.index),
    momentText(entry.at),
    foreignLine(entry.type),
    foreignLine(entry.name ?? ""),
    aboutText(entry),
  ]);
  const isTold = rows.some((row) => row[4] !== "");
  const heads = ["ENTRY", "AT", "TYPE", "NAME", ...(isTold ? ["ABOUT"] : [])];
  return tableText(
    colours,
    heads,
    rows.map((row) => row.slice(0, heads.length)),
  );
}

/** A state key may contain any character; the quotes show where it ends. */
function aboutText(entry: EntryBody): string {
  const { key, target, invocation_id: id, signal, wake_at: wakeAt, completes, failed } = entry;
  if (key !== undefined) return `"${foreignLine(key)}"`;
  if (wakeAt !== undefined) return `until ${momentText(wakeAt)}`;
  const named = signal === undefined ? undefined : `"${signal}"`;
  const other = [named, target, id].filter((part) => part !== undefined).join(" ");
  const about = other === "" && completes !== undefined ? `completes ${completes}` : foreignLine(other);
  return failed === true ? `${about} with a failure`.trim() : about;
}

const MOMENTS = {
  at: (moment: string) => `at ${momentText(moment)}`,
  until: (moment: string) => `until ${momentText(moment)}`,
  since: (moment: string) => `since ${momentText(moment)}`,
};

/** @returns a line for each wait; if a wait is for another invocation, the waits of that one follow on indented lines */
function waitLines(waits: readonly WaitBody[], indent = ""): readonly string[] {
  return waits.flatMap((wait) => [
    `${indent}${foreignLine(waitText(wait, MOMENTS))}, since ${momentText(wait.since)}`,
    ...waitLines(wait.waits_for ?? [], `${indent}  `),
  ]);
}

function pauseText(pause: PauseBody): string {
  return foreignLine(`${pauseWords(pause)}, at ${momentText(pause.at)}`);
}

export function mismatchText(colours: Colours, body: MismatchBody): string {
  const { entry, journal, code } = body;
  const isInPlace = journal?.deployment_id === code.deployment_id;
  const sides = pairsText(colours, [
    ["Recorded", recorderText(body)],
    ["Code now", isInPlace ? `${sideText(code)}: the same deployment, whose code has changed` : sideText(code)],
  ]);
  const head = colours.red(`The code and the journal differ at entry ${entry}:`);
  const parts = [indented(rowsText(colours, body)), indented(sides), "Ways out:", waysText(colours, body)];
  return `${head}\n${parts.join("\n\n")}`;
}

function rowsText(colours: Colours, { entry: differing, rows }: MismatchBody): string {
  const cells = rows.map(({ entry, recorded = "nothing", offered = "not reached" }) => [
    entry === differing ? ">" : "",
    String(entry),
    cellText(recorded),
    cellText(offered),
  ]);
  return tableText(colours, ["", "ENTRY", "JOURNAL", "CODE NOW"], cells);
}

/** The text on one line of a column, without control characters: a handler chose the text. */
function cellText(text: string): string {
  return cutLine(foreignLine(text), CELL_MAX);
}

function recorderText({ entry: differing, rows, journal }: MismatchBody): string {
  if (journal !== undefined) return `by ${sideText(journal, "now ")}, at ${momentText(journal.at)}`;
  const isRecorded = rows.some(({ entry, recorded }) => entry === differing && recorded !== undefined);
  return isRecorded ? "by an unknown deployment" : "nothing: the journal ends before this entry";
}

/**
 * @param since a word before the revision. For a recorded entry it is `now`: the revision shown is the present one, and
 *   an earlier revision may have recorded the entry.
 */
function sideText({ deployment_id: id, revision, address }: MismatchSideBody, since = ""): string {
  if (address === undefined) return foreignLine(`${id}, which is gone`);
  return foreignLine(`${id}${revision === undefined ? "" : `, ${since}revision ${revision}`}, at ${address}`);
}

function waysText(colours: Colours, { ways_out: ways }: MismatchBody): string {
  const texts = ways.map(({ text, commands }, at) => {
    const lines = commands.map((command) => `     ${colours.bold(foreignLine(command))}`);
    return [`  ${at + 1}. ${foreignLine(text)}`, ...lines].join("\n");
  });
  return texts.join("\n");
}

/** @returns the empty text if no entry has a value */
export function valuesText(entries: readonly EntryBody[]): string {
  const parts = entries.flatMap(({ index, type, value }) => {
    if (value === undefined) return [];
    const text = shown(value);
    return [`  ${index}  ${foreignLine(type)}${noteOf(value)}`, ...(text === "" ? [] : [indented(text, "     ")])];
  });
  return parts.length === 0 ? "" : `\n\nValues:\n${parts.join("\n")}`;
}

function noteOf({ size, text = "", base64 = "", cut }: ValueBody): string {
  if (size === 0) return ", empty";
  if (cut === undefined) return "";
  return text === "" && base64 === "" ? `, ${size} bytes, left out` : `, cut: the beginning of ${size} bytes`;
}

function shown({ text, base64, cut }: ValueBody): string {
  if (base64 !== undefined) return `base64:${base64}`;
  return foreignText(cut === undefined ? prettyJson(text ?? "") : (text ?? ""));
}
