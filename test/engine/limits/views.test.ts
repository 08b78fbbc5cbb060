/** What operators see of one that waits for a place or a start, and of the pools. */
import { expect, test } from "vitest";
import { ownWaits } from "../../../shared/engine/query/wait-view.ts";
import { poolViews } from "../../../shared/engine/limits/views.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { presentedStatus } from "../../../shared/engine/operate/inspect.ts";
import { sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limit, Running, scoped, takesMs } from "./limited-stage.ts";

const open = stages();

test("one that waits shows its pool, its number in line, and the oldest", async () => {
  const running = new Running();
  const stage: Stage = await open({ work: takesMs(60_000, running, () => stage) });
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "acme", { concurrency: 2 }));
  const ids = [];
  for (const key of ["a", "a", "a", "a", "b"]) {
    ids.push((await stage.pulse.within(0, sendOn(actor, "work", key, scoped("work", "acme", key)))).invocationId);
    await stage.pulse.pass(1_000);
  }
  const waits = await Promise.all(
    ids.map(async (id) => {
      const loaded = (await load(actor.engine, id))!;
      return [presentedStatus(actor.engine, loaded), await ownWaits(actor.engine, loaded)] as const;
    }),
  );
  expect(waits.map(([status]) => status)).toEqual(["running", "running", "pending", "pending", "pending"]);
  const line = { kind: "place", name: "acme", waiting: 3, places: 2, taken: 2 };
  const [third, fourth, fifth] = waits.slice(2).map(([, [wait]]) => wait!);
  expect(third).toMatchObject({ ...line, place: 2, oldestSinceMs: third!.sinceMs });
  expect(fourth).toMatchObject({ ...line, place: 3 });
  expect(fifth).toMatchObject({ ...line, place: 1, sinceMs: third!.sinceMs + 2_000 });
  expect(await poolViews(actor.engine, 10)).toEqual([
    {
      pool: "acme",
      pattern: "acme",
      limits: { concurrency: 2 },
      taken: 2,
      waiting: 3,
      hasMoreWaiting: false,
      oldestSinceMs: third!.sinceMs,
    },
  ]);
});

test("one that waits for a start shows when the line is served", async () => {
  const stage = await open({ work: () => "done" });
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 1, perMs: 60_000, burst: 1 } }));
  await stage.pulse.within(0, sendOn(actor, "work"));
  await stage.pulse.pass(1_000);
  const { invocationId } = await stage.pulse.within(0, sendOn(actor, "work"));
  await stage.pulse.pass(1_000);
  const [wait] = await ownWaits(actor.engine, (await load(actor.engine, invocationId))!);
  expect(wait).toMatchObject({ kind: "start", name: "service:S", place: 1, waiting: 1 });
  expect(wait!.untilMs! - stage.pulse.nowMs()).toBeGreaterThan(55_000);
});

test("metrics count who waits, for how long, and by which rule", async () => {
  const running = new Running();
  const stage: Stage = await open({ work: takesMs(5_000, running, () => stage) });
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 1 }));
  for (let at = 0; at < 3; at++) await stage.pulse.within(0, sendOn(actor, "work"));
  await stage.pulse.pass(6_000);
  await stage.pulse.within(0, sweepOnce(actor.engine));
  expect(actor.meter.total("limit_waits_total")).toBe(2);
  const waited = actor.meter.measures.filter(({ name }) => name === "limit_wait_seconds");
  expect(waited.map(({ value }) => Math.round(value))).toEqual([5]);
  const rule = "service:S";
  expect(actor.meter.standing.get("limit_waiting")).toEqual([{ value: 1, labels: { rule } }]);
  expect(actor.meter.standing.get("limit_places_taken")).toEqual([{ value: 1, labels: { rule } }]);
});
