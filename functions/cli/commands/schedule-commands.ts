/** `stepwell schedules`: handlers that run by the clock. */
import { Command, InvalidArgumentError, Option } from "commander";
import type {
  AppliedSchedules,
  BackfillBody,
  ScheduleBody,
  ScheduleRequest,
  TriggerAnswer,
} from "../../../shared/api/contract/schedules.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { momentText } from "../text/moment.ts";
import { appliedText, scheduleTarget, scheduleText, whenText } from "../text/schedule-text.ts";
import { tableText } from "../text/table.ts";
import { dataOption, readPayload } from "./payload.ts";
import { readSet } from "./set-file.ts";
import { addPair, type Pairs } from "./pair-options.ts";

const OVERLAPS = ["skip", "buffer-one", "buffer-all", "cancel-running", "allow"] as const;
const EXAMPLE = `Write {"schedules": [{"name": "nightly", "service": "Reports", "handler": "nightly", "cron": "0 2 * * *"}]}.`;

export function scheduleCommands(): Command {
  return new Command("schedules")
    .alias("sched")
    .description("Let handlers run by the clock.")
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addCommand(createCommand())
    .addCommand(applyCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(triggerCommand())
    .addCommand(backfillCommand())
    .addCommand(deleteCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the schedules with their next moments.")
    .action((_flags: unknown, command: Command) => list(sessionOf(command)));
}

async function list(session: Session): Promise<void> {
  type Listed = { readonly schedules: readonly ScheduleBody[] };
  const { body } = await session.admin.ask<Listed>("GET", "schedules");
  session.give(body, () => {
    if (body.schedules.length === 0) return "There is no schedule. Create one with `stepwell schedules create`.";
    const rows = body.schedules.map((one) => [
      one.name,
      one.status,
      one.next[0] === undefined ? "" : momentText(one.next[0]),
      whenText(one),
      scheduleTarget(one),
      one.runs.find(({ outcome }) => outcome !== "open")?.outcome ?? "",
    ]);
    return tableText(session.terminal.colours, ["NAME", "STATUS", "NEXT", "WHEN", "TARGET", "LAST"], rows);
  });
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show a schedule with its next ten moments and its last runs.")
    .argument("<name>")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<ScheduleBody>("GET", pathOf(name));
      session.give(body, () => scheduleText(session.terminal.colours, body));
    });
}

interface CreateFlags {
  readonly key?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: string;
  readonly data?: string;
  readonly header?: Pairs;
  readonly scope?: string;
  readonly limitKey?: string;
  readonly jitter?: string;
  readonly start?: string;
  readonly end?: string;
  readonly count?: number;
  readonly overlap?: (typeof OVERLAPS)[number];
  readonly catchUp?: string;
}

function createCommand(): Command {
  return new Command("create")
    .description("Create a schedule or change it.")
    .argument("<name>", "letters, digits, '.', '_' and '-'")
    .argument("<service/handler>", "the handler, such as Reports/nightly", targetOf)
    .option("--key <key>", "the key of the object, or the id of the workflow")
    .option("--cron <expression>", "five fields, or six with seconds first, such as '0 2 * * *' or '0 9 * * MON#1'")
    .option("--time-zone <name>", "the time zone of --cron, such as Europe/Berlin (default: UTC)")
    .option("--every <duration>", "an interval such as 15m, in place of --cron")
    .addOption(dataOption())
    .option<Pairs>("--header <name=value>", "a header that each run gets; repeatable", (written, before) =>
      addPair(written, before ?? {}),
    )
    .option("--scope <scope>", "the scope of the runs")
    .option("--limit-key <key>", "the limit key of the runs, in their scope")
    .option("--jitter <duration>", "let each tick come up to this much later, such as 30s")
    .option("--start <moment>", "no moment before this one counts", momentOf)
    .option("--end <moment>", "no moment after this one counts", momentOf)
    .option("--count <number>", "the most ticks", wholeOf)
    .addOption(
      new Option("--overlap <policy>", "what a tick does while an earlier run is open (default: skip)").choices(
        OVERLAPS,
      ),
    )
    .option("--catch-up <duration>", "leave out a tick that is later than this (default: 1h)")
    .action((name: string, target: Target, flags: CreateFlags, command: Command) =>
      create(sessionOf(command), name, target, flags),
    );
}

async function create(session: Session, name: string, target: Target, flags: CreateFlags): Promise<void> {
  const { key, cron, timeZone, every, scope, limitKey, jitter, start, end, count, overlap, catchUp } = flags;
  const asked: Omit<ScheduleRequest, "name"> = {
    ...target,
    ...(key !== undefined && { key }),
    ...(await inputOf(flags)),
    ...(cron !== undefined && { cron }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(every !== undefined && { interval: every }),
    ...(scope !== undefined && { scope }),
    ...(limitKey !== undefined && { limit_key: limitKey }),
    ...(jitter !== undefined && { jitter }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(count !== undefined && { count }),
    ...(overlap !== undefined && { overlap }),
    ...(catchUp !== undefined && { catch_up: catchUp }),
  };
  const { body } = await session.admin.ask<ScheduleBody>("PUT", pathOf(name), asked);
  session.give(body, () => scheduleText(session.terminal.colours, body));
}

interface Target {
  readonly service: string;
  readonly handler: string;
}

function targetOf(written: string): Target {
  const [service, handler, more] = written.split("/");
  if (service && handler && more === undefined) return { service, handler };
  throw new InvalidArgumentError("Write it as service/handler, such as Reports/nightly; --key names the key.");
}

/** JSON goes as its bytes, too, because a number that JavaScript cannot hold would change on the way. */
async function inputOf({ data, header = {} }: CreateFlags): Promise<Partial<ScheduleRequest>> {
  const { headers, body } = await readPayload(data, header);
  const { "content-type": contentType, ...others } = headers;
  const given = Object.keys(others).length === 0 ? {} : { headers: others };
  if (body.length === 0) return given;
  return {
    ...given,
    input_base64: Buffer.from(body).toString("base64"),
    ...(contentType !== undefined && { content_type: contentType }),
  };
}

function applyCommand(): Command {
  return new Command("apply")
    .description("Make the schedules of the server equal to a file; schedules that the file lacks are deleted.")
    .requiredOption("-f, --file <path>", 'a JSON file of the form {"schedules": [...]}; - is standard input')
    .option("--dry-run", "only say what would change")
    .addOption(yesOption())
    .action((flags: { readonly file: string; readonly dryRun?: true }, command: Command) =>
      apply(sessionOf(command), flags),
    );
}

async function apply(
  session: Session,
  { file, dryRun }: { readonly file: string; readonly dryRun?: true },
): Promise<void> {
  const set = await readSet(file, "schedules", EXAMPLE);
  const ask = (path: string) => session.admin.ask<AppliedSchedules>("PUT", path, set);
  const { body: planned } = await ask("schedules?dry_run=true");
  if (dryRun === true) return session.give(planned, () => appliedText(planned));
  if (planned.deleted.length > 0) {
    session.show(`${appliedText(planned)}\n`);
    await session.confirm(`Delete ${planned.deleted.join(", ")}?`);
  }
  const { body } = await ask("schedules");
  session.give(body, () => appliedText(body));
}

function pauseCommand(): Command {
  return new Command("pause")
    .description("Start no tick until the schedule is resumed; open runs go on.")
    .argument("<name>")
    .option("--note <text>", "why, for those who look at the schedule")
    .action(async (name: string, { note }: { readonly note?: string }, command: Command) => {
      const session = sessionOf(command);
      const asked = note === undefined ? {} : { note };
      const { body } = await session.admin.ask<ScheduleBody>("POST", `${pathOf(name)}/pause`, asked);
      session.give(body, () => `Paused ${body.name}`);
    });
}

function resumeCommand(): Command {
  return new Command("resume")
    .description("Go on with the moments after now.")
    .argument("<name>")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<ScheduleBody>("POST", `${pathOf(name)}/resume`, {});
      const next = body.next[0] === undefined ? "no moment follows" : `next ${momentText(body.next[0])}`;
      session.give(body, () => `Resumed ${body.name}: ${next}`);
    });
}

function triggerCommand(): Command {
  return new Command("trigger")
    .description("Run a schedule now, also while it is paused or a run is open.")
    .argument("<name>")
    .option("--request-id <id>", "a repeated trigger with the same id is the same trigger")
    .action(async (name: string, { requestId }: { readonly requestId?: string }, command: Command) => {
      const session = sessionOf(command);
      const asked = requestId === undefined ? {} : { request_id: requestId };
      const { body } = await session.admin.ask<TriggerAnswer>("POST", `${pathOf(name)}/trigger`, asked);
      session.give(body, () => `Started ${body.invocation_id}`);
    });
}

interface BackfillFlags {
  readonly from: string;
  readonly to: string;
  readonly concurrency?: number;
}

function backfillCommand(): Command {
  return new Command("backfill")
    .description("Run the moments of a range, each once and in order, beside the ticks of the schedule.")
    .argument("<name>")
    .requiredOption("--from <moment>", "the first moment that may run, such as 2026-01-31T00:00:00Z", momentOf)
    .requiredOption("--to <moment>", "the first moment that does not run any more", momentOf)
    .option("--concurrency <number>", "the most runs at the same time, 1 to 10 (default: 1)", wholeOf)
    .action(async (name: string, { from, to, concurrency }: BackfillFlags, command: Command) => {
      const session = sessionOf(command);
      const asked = { from, to, ...(concurrency !== undefined && { concurrency }) };
      const { body } = await session.admin.ask<BackfillBody>("POST", `${pathOf(name)}/backfill`, asked);
      session.give(
        body,
        () =>
          `Backfill ${body.id} runs ${body.total} moments; \`stepwell schedules describe ${name}\` shows how far it is`,
      );
    });
}

function deleteCommand(): Command {
  return new Command("delete")
    .alias("rm")
    .description("Delete a schedule. Its open runs go on.")
    .argument("<name>")
    .addOption(yesOption())
    .action(async (name: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<ScheduleBody>("GET", pathOf(name));
      session.show(`${scheduleText(session.terminal.colours, body)}\n`);
      await session.confirm("Delete this schedule?");
      await session.admin.ask("DELETE", pathOf(name));
      session.give({ deleted: body.name }, () => `Deleted ${body.name}`);
    });
}

function pathOf(name: string): string {
  return `schedules/${encodeURIComponent(name)}`;
}

function momentOf(written: string): string {
  const atMs = Date.parse(written);
  if (Number.isNaN(atMs)) throw new InvalidArgumentError("Write it as 2026-01-31T10:00:00Z.");
  return new Date(atMs).toISOString();
}

function wholeOf(written: string): number {
  if (!/^\d{1,10}$/.test(written)) throw new InvalidArgumentError("Write a whole number, such as 10.");
  return Number(written);
}
