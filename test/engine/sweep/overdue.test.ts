/** The sweeper reports the age of the oldest overdue parked invocation: a high age shows that the queue delivers nothing. */
import { expect, test } from "vitest";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

const overdueS = ({ meter }: Actor) =>
  meter.measures.filter(({ name }) => name === "oldest_overdue_seconds").map(({ value }) => value);

test("a parked invocation counts as overdue from the moment at which its sleep ends until a worker drives it", async () => {
  let untilMs = 0;
  const stage = await open({ sleep: (ctx) => ctx.get(ctx.sleep(untilMs)).then(() => "slept") });
  untilMs = stage.pulse.nowMs() + HOUR_MS;
  const [worker, sweeper] = [stage.actor(), stage.actor()];
  worker.startWorker();
  await sendOn(worker, "sleep");
  await stage.pulse.pass(1_000);
  worker.die();
  const look = () => sweep(sweeper.engine, stage.pulse.nowMs(), "everything");
  await look();
  expect(overdueS(sweeper)).toEqual([0]);
  await stage.pulse.pass(2 * HOUR_MS);
  await look();
  expect(overdueS(sweeper).at(-1)).toBeGreaterThan(3_500);
  expect(overdueS(sweeper).at(-1)).toBeLessThan(7_300);
  sweeper.startWorker();
  await stage.pulse.pass(60_000);
  await look();
  expect(overdueS(sweeper).at(-1)).toBe(0);
});
