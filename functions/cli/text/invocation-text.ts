/** An invocation as text: its facts, its journal, its earlier failures, and its mismatch or the last stack trace. */
import type { AttemptFailureBody, InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { journalText } from "./journal-text.ts";
import { mismatchText } from "./mismatch-text.ts";
import { momentText } from "./moment.ts";
import { indented, pairsText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine, foreignText } from "./visible-text.ts";
import { pauseText, waitLines } from "./wait-text.ts";

const TRACE_LINES_MAX = 20;

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
    ["Completed", optional(body.completed_at, momentText)],
    ["Idempotency key", optional(body.idempotency_key, foreignLine)],
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
