/** Words for schedules and their runs. */
import type { ScheduleBody, ScheduleRunBody } from "../../shared/api/contract/schedules.ts";
import type { Look } from "./status-look.ts";

type Status = ScheduleBody["status"];
type Outcome = ScheduleRunBody["outcome"];

const LOOKS: Readonly<Record<Status, Look>> = {
  active: { word: "active", glyph: "▶", tone: "running" },
  paused: { word: "paused", glyph: "‖", tone: "paused" },
  failing: { word: "failing", glyph: "✕", tone: "failed" },
  ended: { word: "ended", glyph: "○", tone: "ended" },
};

export function scheduleLook(status: Status): Look {
  return LOOKS[status] ?? { word: status, glyph: "○", tone: "waiting" };
}

/** The meaning of each status. */
export const SCHEDULE_MEANING: Readonly<Record<Status, string>> = {
  active: "Its ticks start at their moments.",
  paused: "No tick starts until the schedule is resumed.",
  failing: "Its handler takes no runs now. The tick is tried again by itself.",
  ended: "No moment follows.",
};

const OUTCOMES: Readonly<Record<Outcome, Look>> = {
  open: { word: "open", glyph: "▶", tone: "running" },
  succeeded: { word: "succeeded", glyph: "✓", tone: "succeeded" },
  failed: { word: "failed", glyph: "✕", tone: "failed" },
  cancelled: { word: "cancelled", glyph: "⊘", tone: "ended" },
  killed: { word: "killed", glyph: "⊘", tone: "ended" },
  skipped: { word: "skipped", glyph: "○", tone: "waiting" },
  missed: { word: "missed", glyph: "✕", tone: "failed" },
  exists: { word: "exists", glyph: "○", tone: "waiting" },
  untracked: { word: "untracked", glyph: "○", tone: "waiting" },
};

export function outcomeLook(outcome: Outcome): Look {
  return OUTCOMES[outcome] ?? { word: outcome, glyph: "○", tone: "waiting" };
}

/** When the schedule runs, such as `0 2 * * * (Europe/Berlin)` or `every 1h`. */
export function whenText({
  cron,
  time_zone: zone,
  interval,
}: Pick<ScheduleBody, "cron" | "time_zone" | "interval">): string {
  return cron === undefined ? `every ${interval ?? ""}` : `${cron} (${zone ?? "UTC"})`;
}

/** The target, such as `Reports/nightly` or `Cart/all/tidy`. */
export function scheduleTarget({ service, key, handler }: Pick<ScheduleBody, "service" | "key" | "handler">): string {
  return key === undefined ? `${service}/${handler}` : `${service}/${key}/${handler}`;
}

/** How far the backfills of a schedule are; undefined without one. */
export function backfillText({ backfills }: Pick<ScheduleBody, "backfills">): string | undefined {
  if (backfills.length === 0) return undefined;
  return backfills.map(({ started, total }) => `${started} of ${total} filled back`).join(", ");
}
