/** Wakes schedules that are long due: their wake was lost (I8). */
import { HOUR_MS, MINUTE_MS } from "../../core/model/time-units.ts";
import { dueOf } from "../../core/schedules/decide.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { Item } from "../ports/table.ts";
import { schedulePage, SCHEDULES_MARK, type StoredSchedule, unmarkSchedules } from "../store/schedule-record.ts";

/** A schedule whose moment is longer ago than this has lost its wake. */
const OVERDUE_MS = MINUTE_MS;
const MARK_KEPT_MS = HOUR_MS;
/** A run that others wait for is looked at once it is this old. */
const LOST_MS = 10 * MINUTE_MS;

/**
 * Reads nothing if the environment has no schedules. Never fails: the next pass looks again.
 * @param items the items of the sweeper's partition
 */
export async function wakeOverdueSchedules(engine: Engine, items: readonly Item[]): Promise<void> {
  const mark = items.find(({ sk }) => sk === SCHEDULES_MARK);
  if (mark === undefined || engine.schedules === undefined) return;
  try {
    if (!(await wakeOverdue(engine))) await unmarkOld(engine, mark);
  } catch (error) {
    engine.log.write("schedules.read-failed", { error: String(error) });
  }
}

/** A young mark stays, because the schedule that it was made for may come yet. */
async function unmarkOld(engine: Engine, mark: Item): Promise<void> {
  if (engine.clock.nowMs() - Number(mark["markedAtMs"]) > MARK_KEPT_MS) await unmarkSchedules(engine, mark);
}

/** @returns false if there are no schedules */
async function wakeOverdue(engine: Engine): Promise<boolean> {
  let hasAny = false;
  let after: string | undefined;
  do {
    const { schedules, next } = await schedulePage(engine, after);
    hasAny ||= schedules.length > 0;
    const nowMs = engine.clock.nowMs();
    const late = schedules.filter((one) => (lookAtMs(one) ?? Infinity) < nowMs - OVERDUE_MS);
    await atMost(AT_ONCE, late, async ({ schedule: { name } }) => {
      await engine.schedules?.wakes.at({ schedule: name, atMs: nowMs });
    });
    after = next;
  } while (after !== undefined);
  return hasAny;
}

/** The moment from which on a look is needed: the note of the end that the schedule waits for may be lost, too. */
function lookAtMs({ schedule, state }: StoredSchedule): number | undefined {
  const dueAtMs = dueOf(schedule, state);
  if (dueAtMs !== undefined || state.waiting.length + state.backfills.length === 0) return dueAtMs;
  return Math.max(...state.open.map(({ startedAtMs }) => startedAtMs)) + LOST_MS;
}
