/** A schedule as text: what runs and when, the next moments, the last runs, and the plan of an application. */
import type { AppliedSchedules, ScheduleBody, ScheduleRunBody } from "../../../shared/api/contract/schedules.ts";
import { momentText } from "./moment.ts";
import { pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

export function scheduleText(colours: Colours, body: ScheduleBody): string {
  const { pause, error, backfills } = body;
  const facts = pairsText(colours, [
    ["Schedule", body.name],
    ["Target", scheduleTarget(body)],
    ["Limit key", body.limit_key],
    ["When", whenText(body)],
    ["Jitter", body.jitter === "0s" ? undefined : body.jitter],
    ["From", body.start && momentText(body.start)],
    ["Until", body.end && momentText(body.end)],
    ["Started", body.count === undefined ? String(body.started) : `${body.started} of ${body.count}`],
    ["Overlap", body.overlap],
    ["Catch-up", body.catch_up],
    ["Status", body.status],
    ["Paused", pause && pauseText(pause)],
    ["Error", error && `${momentText(error.at)}: ${foreignLine(error.message)}; again ${momentText(error.retry_at)}`],
    ["Waiting", body.waiting.length === 0 ? undefined : body.waiting.map(momentText).join(", ")],
    ["Next", body.next.map(momentText).join("\n")],
    ...backfills.map((one): [string, string] => [
      "Backfill",
      `${one.started} of ${one.total} started, ${momentText(one.from)} to ${momentText(one.to)}`,
    ]),
  ]);
  if (body.runs.length === 0) return facts;
  const rows = body.runs.map((one) => [
    momentText(one.moment),
    one.kind,
    outcomeText(one),
    one.started_at === undefined ? "" : momentText(one.started_at),
    one.invocation_id ?? "",
  ]);
  return `${facts}\n\n${tableText(colours, ["MOMENT", "KIND", "OUTCOME", "STARTED", "INVOCATION"], rows)}`;
}

function pauseText({ at, note, by }: NonNullable<ScheduleBody["pause"]>): string {
  const who = by === undefined ? "" : ` by ${foreignLine(by)}`;
  return `${momentText(at)}${who}${note === undefined ? "" : `: ${foreignLine(note)}`}`;
}

function outcomeText({ outcome, missed_until: until }: ScheduleRunBody): string {
  return until === undefined ? outcome : `${outcome} until ${momentText(until)}`;
}

export function scheduleTarget({ service, key, handler, scope }: ScheduleBody): string {
  const target = key === undefined ? `${service}/${handler}` : `${service}/${key}/${handler}`;
  return scope === undefined ? target : `${target} in the scope ${scope}`;
}

export function whenText({ cron, time_zone: zone, interval }: ScheduleBody): string {
  return cron === undefined ? `every ${interval}` : `${cron} (${zone})`;
}

export function appliedText({ created, changed, unchanged, deleted, dry_run: isDry }: AppliedSchedules): string {
  const lines = [
    ...created.map((name) => `+ ${name}`),
    ...changed.map((name) => `~ ${name}`),
    ...deleted.map((name) => `- ${name}`),
  ];
  const counts = `${created.length} created, ${changed.length} changed, ${deleted.length} deleted, ${unchanged.length} unchanged`;
  return [...lines, isDry ? `Dry run, nothing is changed: ${counts}` : counts].join("\n");
}
