/** A pass finds schedules whose wake was lost, and reads nothing in an environment without schedules. */
import { expect, test } from "vitest";
import { putSchedule, removeSchedule } from "../../../shared/engine/schedules/change-schedules.ts";
import type { ScheduleWake } from "../../../shared/engine/ports/schedules.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { schedulePlan } from "../../harness/engine/schedule-plan.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

async function passing() {
  const stage = await open({ tick: () => "" });
  const { engine, process } = stage.actor();
  const ordered: ScheduleWake[] = [];
  engine.schedules!.wakes.at = (wake) => Promise.resolve(void ordered.push(wake));
  const pass = async (): Promise<readonly ScheduleWake[]> => {
    ordered.length = 0;
    await stage.pulse.within(0, sweepOnce(engine, stage.pulse.nowMs() + 1_000));
    return [...ordered];
  };
  const readsOfSchedules = (): number =>
    process.calls.filter(({ method, args }) => method === "query" && args[0] === "schedules").length;
  return { stage, engine, pass, readsOfSchedules };
}

test("a schedule that is a minute past its moment is woken, and one that is not yet is left alone", async () => {
  const { stage, engine, pass } = await passing();
  await stage.pulse.within(0, putSchedule(engine, schedulePlan({ timing: { kind: "interval", everyMs: HOUR_MS } })));
  await stage.pulse.pass(HOUR_MS + 30_000);
  expect(await pass()).toEqual([]);
  await stage.pulse.pass(60_000);
  expect(await pass()).toEqual([{ schedule: "nightly", atMs: stage.pulse.nowMs() }]);
});

test("without schedules a pass reads none, also once the last one is deleted", async () => {
  const { stage, engine, pass, readsOfSchedules } = await passing();
  await pass();
  expect(readsOfSchedules()).toBe(0);
  await stage.pulse.within(0, putSchedule(engine, schedulePlan()));
  await stage.pulse.within(0, removeSchedule(engine, "nightly"));
  await stage.pulse.pass(2 * HOUR_MS);
  const before = readsOfSchedules();
  await pass();
  expect(readsOfSchedules()).toBe(before + 1);
  await pass();
  expect(readsOfSchedules(), "the mark is gone").toBe(before + 1);
});
