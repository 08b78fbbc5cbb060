/** Counts what a tick of a schedule writes and reads beside the work of its invocation, and the size of a schedule. */
import type { Engine } from "../../shared/engine/engine.ts";
import type { Item } from "../../shared/engine/ports/table.ts";
import { noteRun } from "../../shared/engine/effects/note-run.ts";
import { advanceSchedule } from "../../shared/engine/schedules/advance-schedule.ts";
import { putSchedule } from "../../shared/engine/schedules/change-schedules.ts";
import { readSchedule, schedulesPk } from "../../shared/engine/store/schedule-record.ts";
import { CountedTable } from "../harness/engine/counted-table.ts";
import { Stage } from "../harness/engine/engine-fixture.ts";
import { schedulePlan } from "../harness/engine/schedule-plan.ts";

export interface TickCounts {
  /** Write units of the table and of its indexes, with the acceptance of the invocation and the note of its end. */
  readonly tableWrites: number;
  readonly indexWrites: number;
  readonly readUnits: number;
  /** The bytes of a schedule with ten last runs. */
  readonly itemBytes: number;
}

/** So many that the list of the last runs is full. */
const TICKS = 12;
const HOUR_MS = 3_600_000;
const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;

export async function countTick(): Promise<TickCounts> {
  const stage = await Stage.open({ tick: () => "" });
  try {
    const { engine: plain } = stage.actor();
    const table = new CountedTable(plain.table, new Map<string, Item>());
    const engine = { ...plain, table };
    const cron = { kind: "cron", expression: "0 * * * *", timeZone: "Europe/Berlin" } as const;
    await stage.pulse.within(0, putSchedule(engine, schedulePlan({ timing: cron })));
    for (let ticks = 0; ticks < TICKS; ticks++) {
      table.take(true);
      await stage.pulse.pass(HOUR_MS);
      await stage.pulse.within(0, tick(engine, plain, stage.pulse.nowMs()));
    }
    const { counts } = table.take(true);
    const item = await stage.pulse.within(0, plain.table.get({ pk: schedulesPk(""), sk: "one#nightly" }));
    const itemBytes = JSON.stringify(item).length;
    if (counts.transactions !== 1 || counts.items - counts.refused === 0) throw new Error("a tick writes otherwise");
    const units = Math.ceil(itemBytes / WRITE_UNIT_BYTES);
    return {
      // A transaction takes each unit twice: that of the acceptance, and those of the schedule. The note of the end is a plain write.
      tableWrites: 2 * (1 + units) + units,
      indexWrites: 1,
      readUnits: counts.reads * Math.ceil(itemBytes / READ_UNIT_BYTES),
      itemBytes,
    };
  } finally {
    await stage.close();
  }
}

/** @param observer reads without being counted */
async function tick(engine: Engine, observer: Engine, endedAtMs: number): Promise<void> {
  await advanceSchedule(engine, "nightly", { isAgain: true });
  const { schedule, state } = (await readSchedule(observer, "nightly"))!;
  const [open] = state.open;
  if (open === undefined) throw new Error("no run is open");
  const ended = { kind: "note-run", outcome: "succeeded", endedAtMs } as const;
  await noteRun(engine, { ...ended, schedule: schedule.name, scheduleId: schedule.id, run: open.key });
}
