/** `sys_schedules` and `sys_schedule_runs` show schedules, and their open and last runs. */
import { expect, test } from "vitest";
import { pauseSchedule, putSchedule, triggerSchedule } from "../../../shared/engine/schedules/change-schedules.ts";
import { schedulePlan } from "../../harness/engine/schedule-plan.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();

test("a schedule and its runs are rows", async () => {
  const stage = await open({ tick: () => "" });
  const actor = stage.actor({ soleOwner: true });
  const { engine } = actor;
  await stage.pulse.within(0, putSchedule(engine, schedulePlan()));
  await stage.pulse.within(0, triggerSchedule(engine, "nightly", "a"));
  actor.startWorker();
  await stage.pulse.pass(1_000);
  await stage.pulse.within(0, pauseSchedule(engine, "nightly", { note: "for now" }));
  const [schedule] = await stage.pulse.within(0, rowsOf(actor, "SELECT * FROM sys_schedules"));
  expect(schedule).toMatchObject({
    name: "nightly",
    target: "S/tick",
    timing: "every 60000 ms",
    status: "paused",
    paused_note: "for now",
    last_outcome: "succeeded",
  });
  const runs = await stage.pulse.within(0, rowsOf(actor, "SELECT schedule, run, kind, outcome FROM sys_schedule_runs"));
  expect(runs).toEqual([{ schedule: "nightly", run: "m.a", kind: "trigger", outcome: "succeeded" }]);
});
