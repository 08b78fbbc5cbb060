/** The moments of a schedule: the next one after another, when its tick is due, and how many are in a range. */
import { textHash } from "../model/text-hash.ts";
import type { Schedule, SchedulePlan } from "./schedule.ts";

/**
 * Reads cron expressions in time zones.
 * @returns the first moment after `afterMs`; undefined if none follows. A local time that a change of the clock leaves out is no
 *   moment; one that comes twice is a moment at its first coming only
 */
export type NextCron = (expression: string, timeZone: string, afterMs: number) => number | undefined;

/** @returns the first moment of the plan after `afterMs`; undefined if none follows */
export function nextMoment(
  { timing, startAtMs, endAtMs }: Pick<SchedulePlan, "timing" | "startAtMs" | "endAtMs">,
  nextCron: NextCron,
  afterMs: number,
): number | undefined {
  const fromMs = startAtMs === undefined ? afterMs : Math.max(afterMs, startAtMs - 1);
  const next =
    timing.kind === "cron"
      ? nextCron(timing.expression, timing.timeZone, fromMs)
      : nextOfInterval(timing.everyMs, startAtMs ?? 0, fromMs);
  return next === undefined || (endAtMs !== undefined && next > endAtMs) ? undefined : next;
}

function nextOfInterval(everyMs: number, firstMs: number, afterMs: number): number {
  return firstMs + Math.max(0, Math.floor((afterMs - firstMs) / everyMs) + 1) * everyMs;
}

/** When the tick of a moment is due: the moment, and the jitter that follows from schedule and moment. */
export function dueAtMs({ id, jitterMs }: Pick<Schedule, "id" | "jitterMs">, momentMs: number): number {
  return jitterMs === 0 ? momentMs : momentMs + (textHash(`${id}.${momentMs}`) % (jitterMs + 1));
}

/** @returns the moments from `fromMs` to before `belowMs`, at most `limit` */
export function momentsIn(
  plan: Pick<SchedulePlan, "timing" | "startAtMs" | "endAtMs">,
  nextCron: NextCron,
  { fromMs, belowMs, limit }: { readonly fromMs: number; readonly belowMs: number; readonly limit: number },
): readonly number[] {
  const moments: number[] = [];
  let next = nextMoment(plan, nextCron, fromMs - 1);
  while (next !== undefined && next < belowMs && moments.length < limit) {
    moments.push(next);
    next = nextMoment(plan, nextCron, next);
  }
  return moments;
}
