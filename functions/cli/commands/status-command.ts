/** `stepwell status`: what needs an operator, by cause: open circuits first, then paused and failing invocations in groups. */
import { Command } from "commander";
import type { CauseBody, HeldBody, OverviewBody } from "../../../shared/api/contract/overview.ts";
import { ageText } from "../text/moment.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { tableText } from "../text/table.ts";
import { foreignLine } from "../text/visible-text.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description("Show what needs an operator: open circuits, and stuck invocations by their cause.")
    .action((_flags: unknown, command: Command) => status(sessionOf(command)));
}

async function status(session: Session): Promise<void> {
  const { body } = await session.admin.ask<OverviewBody>("GET", "internal/overview");
  session.give(body, () => statusText(session, body, Date.now()));
}

export function statusText({ terminal }: Pick<Session, "terminal">, body: OverviewBody, nowMs: number): string {
  const { circuits, causes, overdue, open } = body;
  const tables = [
    circuits.length > 0 &&
      tableText(
        terminal.colours,
        ["CIRCUIT", "DEPLOYMENT", "OPEN FOR", "WAIT", "REASON"],
        circuits.map((one) => circuitRow(one, nowMs)),
        ["left", "left", "right", "right", "left"],
      ),
    causes.length > 0 &&
      tableText(
        terminal.colours,
        ["COUNT", "STATE", "TARGET", "SINCE", "CAUSE", "CAUSE ID"],
        causes.map((one) => causeRow(one, nowMs)),
        ["right", "left", "left", "right", "left", "left"],
      ),
  ].filter((table) => table !== false);
  const others = overdue === 0 ? [] : [`${overdue} overdue: \`stepwell invocations list --status open\``];
  const sum = Object.values(open).reduce((all, count) => all + count, 0);
  const least = body.at_least === true ? "at least " : "";
  const openText = `${least}${sum} ${sum === 1 ? "invocation is" : "invocations are"} open`;
  const found = [...tables, ...others];
  if (found.length > 0) return [...found, `${capitalized(openText)}.`].join("\n\n");
  return body.at_least === true
    ? `Nothing that needs you was found: ${openText}, and some of them were not read.`
    : `Nothing needs you: ${openText}.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function circuitRow({ service, deployment_id, open_since, waiting, reason }: HeldBody, nowMs: number) {
  const head = foreignLine(reason.split("\n", 1)[0]!);
  return [
    foreignLine(service),
    foreignLine(deployment_id),
    ageText(nowMs - Date.parse(open_since)),
    String(waiting),
    head,
  ];
}

/** `≥ 20`: only some of the invocations were read. */
function causeRow({ kind, service, handler, cause, text, since, count, looked_at, among }: CauseBody, nowMs: number) {
  return [
    `${looked_at < among ? "≥ " : ""}${count}`,
    foreignLine(kind),
    foreignLine(`${service}/${handler}`),
    ageText(nowMs - Date.parse(since)),
    text === undefined ? "no failure is stored" : foreignLine(text),
    foreignLine(cause ?? ""),
  ];
}
