/** `stepwell invocations`: inspects and changes invocations. */
import { Command } from "commander";
import type { AttemptFailureBody, EntryBody, InvocationBody } from "../../shared/api/wire/invocation.ts";
import { changeCommand } from "./change-command.ts";
import { INVOCATION_CHANGES } from "./invocation-changes.ts";
import { invocationListCommand } from "./invocation-list-command.ts";
import { mismatchText } from "./mismatch-text.ts";
import { momentText } from "./moment.ts";
import { sessionOf } from "./session.ts";
import type { Session } from "./session.ts";
import { indented, pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine, foreignText } from "./visible-text.ts";
import { pauseText, waitLines } from "./wait-text.ts";

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
    .description("Show an invocation: its status, its failures and its journal.")
    .argument("<invocation-id>")
    .action((id: string, _flags: unknown, command: Command) => describe(sessionOf(command), id));
}

async function describe(session: Session, id: string): Promise<void> {
  const { body } = await session.admin.ask<InvocationBody>("GET", `invocations/${encodeURIComponent(id)}`);
  session.give(body, () => invocationText(session.terminal.colours, body));
}

function invocationText(colours: Colours, body: InvocationBody): string {
  const failure = body.completion_failure;
  const facts = pairsText(colours, [
    ["Invocation", body.id],
    ["Target", body.target],
    ["Key", body.target_service_key],
    ["Status", body.outcome === undefined ? body.status : `${body.status}: ${body.outcome}`],
    ["Waits for", optional(body.waits_for, (waits) => waitLines(waits).join("\n"))],
    ["Paused", optional(body.pause, pauseText)],
    ["Created", momentText(body.created_at)],
    ["Completed", optional(body.completed_at, momentText)],
    ["Idempotency key", body.idempotency_key],
    ["Called by", body.created_by],
    ["Invoked by", optional(body.invoked_by, ({ invocation_id: id, target }) => `${target ?? ""} ${id}`.trim())],
    ["Last action", optional(body.last_action, actionText)],
    ["Deployment", optional(body.deployment, deploymentText) ?? body.pinned_deployment_id],
    ["Attempts", String(body.attempts)],
    ["Silent since", optional(body.silent_since, momentText)],
    ["Failed with", optional(failure, ({ code, message }) => colours.red(`[${code}] ${foreignText(message)}`))],
    [
      "Last failure",
      optional(
        body.last_failure,
        (last) => `${failureText(body.mismatch ? headOf(last) : last)}, at ${momentText(last.at)}`,
      ),
    ],
  ]);
  const mismatch = body.mismatch === undefined ? "" : `\n\n${mismatchText(colours, body.mismatch)}`;
  const rows = body.entries.map((entry) => [
    String(entry.index),
    momentText(entry.at),
    entry.type,
    entry.name ?? "",
    aboutText(entry),
  ]);
  const isTold = rows.some((row) => row[4] !== "");
  const heads = ["ENTRY", "AT", "TYPE", "NAME", ...(isTold ? ["ABOUT"] : [])];
  const shown = rows.map((row) => row.slice(0, heads.length));
  const journal = rows.length === 0 ? "" : `\n\n${tableText(colours, heads, shown)}`;
  const earlier = body.events.slice(0, -1).map((event) => `${momentText(event.at)}  ${failureText(event)}`);
  const events = earlier.length === 0 ? "" : `\n\nEarlier failures:\n${indented(earlier.join("\n"))}`;
  return `${facts}${mismatch}${journal}${events}`;
}

function optional<Value>(value: Value | undefined, text: (value: Value) => string): string | undefined {
  return value === undefined ? undefined : text(value);
}

/** A state key may contain any character; the quotes show where it ends. */
function aboutText({ key, target, invocation_id: id, signal, wake_at: wakeAt, completes }: EntryBody): string {
  if (key !== undefined) return `"${foreignLine(key)}"`;
  if (wakeAt !== undefined) return `until ${momentText(wakeAt)}`;
  const named = signal === undefined ? undefined : `"${signal}"`;
  const other = foreignLine([named, target, id].filter((part) => part !== undefined).join(" "));
  return other === "" && completes !== undefined ? `completes ${completes}` : other;
}

function deploymentText({ id, address }: NonNullable<InvocationBody["deployment"]>): string {
  return address === undefined ? `${id}, which is gone` : foreignLine(`${id} at ${address}`);
}

function actionText({ action, at, by }: NonNullable<InvocationBody["last_action"]>): string {
  return `${action} at ${momentText(at)}${by === undefined ? "" : ` by ${by}`}`;
}

/** The report of the SDK is left out where the table of both sides says the same, because SDKs confuse the sides. */
function headOf(failure: AttemptFailureBody): AttemptFailureBody {
  return { ...failure, message: failure.message.split("\n", 1)[0]! };
}

function failureText({ error_code: code, message, related_command: command }: AttemptFailureBody): string {
  const where = [command?.type, command?.name].filter((part) => part !== undefined && part !== "").join(" ");
  return foreignText(`${code} ${message}${where === "" ? "" : ` (at ${where})`}`);
}
