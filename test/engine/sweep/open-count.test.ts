/**
 * The counts of open invocations by service and status. A whole walk of the open index gathers them without further reads or
 * writes.
 */
import { describe, expect, test } from "vitest";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { OPEN_STATUSES, OpenCount } from "../../../shared/engine/sweep/counts.ts";
import { recover, sweep, sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { service } from "../../core/registry/sample-deployment.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { plantOpen, slowed } from "../../harness/engine/planted.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { readingsOf } from "../../harness/engine/gauge-readings.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days after the start of the stage's clock. */
const FAR_MS = Date.UTC(2026, 0, 9);
const SLOW_RETRY = { initialIntervalMs: 900_000, maxIntervalMs: 900_000, maxAttempts: 5 };

const waits: Handler = (ctx) => ctx.get(ctx.sleep(FAR_MS)).then(() => "slept");
const fails: Handler = () => {
  throw new Error("boom");
};

const look = (stage: Stage, { engine }: Actor) =>
  stage.pulse.within(5 * MINUTE_MS, sweep(engine, stage.pulse.nowMs() - DAY_MS, "everything"));

describe("after real transitions", () => {
  test("if processes share a table, the open invocations of each status are counted under their services", async () => {
    const services = [objectOf(["waits"]), service("T", ["waits"])];
    const stage = await open({ waits, fails }, { retry: SLOW_RETRY, services });
    const [worker, sweeper] = [stage.actor(), stage.actor()];
    worker.startWorker();
    await sendOn(worker, "waits", "", { startAtMs: FAR_MS });
    const { invocationId } = await sendOn(worker, "fails");
    await sendOn(worker, "waits");
    await sendOn(worker, "waits", "", { target: { service: "T", handler: "waits" } });
    for (let at = 0; at < 3; at++) await sendKeyed(worker, keyed("O", "k", "waits"));
    await stage.pulse.pass(MINUTE_MS);
    await look(stage, sweeper);
    const all = { "O suspended": 1, "O pending": 2, "T suspended": 1, "S scheduled": 1, "S suspended": 1 };
    expect(readingsOf(sweeper)).toEqual({ ...all, "S backing-off": 1 });
    expect(await pause(sweeper.engine, invocationId)).toBe("noted");
    await stage.pulse.pass(1_000);
    await look(stage, sweeper);
    expect(readingsOf(sweeper)).toEqual({ ...all, "S paused": 1 });
    const counted = sweeper.meter.standing.get("open_invocations")!;
    expect(counted).toHaveLength(4 * OPEN_STATUSES.length);
    expect(counted).toContainEqual({ value: 0, labels: { service: "other", status: "paused" } });
  });

  test("an invocation that is driven for long is running, and is no longer counted after its end", async () => {
    const gate = new Gate();
    const stage = await open({ works: () => gate.passed.then(() => "done") });
    const [worker, sweeper] = [stage.actor(), stage.actor()];
    worker.startWorker();
    await sendOn(worker, "works");
    await stage.pulse.pass(30_000);
    await look(stage, sweeper);
    expect(readingsOf(sweeper)).toEqual({ "S running": 1 });
    gate.open();
    await stage.pulse.pass(1_000);
    await look(stage, sweeper);
    expect(readingsOf(sweeper)).toEqual({});
  });

  test("a sole owner counts from its memory the invocations that it drives, however young they are, and counts each of them once", async () => {
    const gate = new Gate();
    const stage = await open({ works: () => gate.passed.then(() => "done") });
    const actor = stage.actor({ soleOwner: true });
    actor.startWorker();
    for (let at = 0; at < 2; at++) await sendOn(actor, "works");
    await stage.pulse.pass(1_000);
    await look(stage, actor);
    expect(readingsOf(actor)).toEqual({ "S running": 2 });
    await stage.pulse.pass(30_000);
    await look(stage, actor);
    expect(readingsOf(actor)).toEqual({ "S running": 2 });
    gate.open();
  });

  test("a process that has just started counts the open invocations that the process before it left", async () => {
    const stage = await open({ waits, works: () => new Promise<string>(() => undefined) });
    const before = stage.actor({ soleOwner: true });
    before.startWorker();
    await sendOn(before, "waits");
    await sendOn(before, "works");
    await stage.pulse.pass(30_000);
    await stage.reboot();
    const actor = stage.actor({ soleOwner: true });
    await stage.pulse.pass(7_000);
    await stage.pulse.within(MINUTE_MS, recover(actor.engine));
    expect(readingsOf(actor)).toEqual({ "S suspended": 1, "S ready": 1 });
    // The time counts from the start of this process and not from the acceptance, because this process can drive the invocation
    // only from its start on.
    expect(readingsOf(actor, "oldest_ready_seconds")).toEqual({ S: 7 });
  });
});

describe("the oldest ready invocation", () => {
  test("of each service has waited since its acceptance if no driver has taken it", async () => {
    const stage = await open({ waits }, { services: [service("T", ["waits"])] });
    const [sender, sweeper] = [stage.actor(), stage.actor()];
    await sendOn(sender, "waits");
    await stage.pulse.pass(MINUTE_MS);
    await sendOn(sender, "waits", "", { target: { service: "T", handler: "waits" } });
    await stage.pulse.pass(6 * MINUTE_MS);
    // The first pass notes both in the open index.
    await look(stage, sweeper);
    await stage.pulse.pass(MINUTE_MS);
    await look(stage, sweeper);
    expect(readingsOf(sweeper)).toEqual({ "S ready": 1, "T ready": 1 });
    expect(readingsOf(sweeper, "oldest_ready_seconds")).toEqual({ S: 8 * 60, T: 7 * 60 });
    sweeper.startWorker();
    await stage.pulse.pass(MINUTE_MS);
    await look(stage, sweeper);
    expect(readingsOf(sweeper)).toEqual({ "S suspended": 1, "T suspended": 1 });
    const { standing } = sweeper.meter;
    expect(standing.get("oldest_ready_seconds")).toEqual([
      { value: 0, labels: { service: "S" } },
      { value: 0, labels: { service: "T" } },
      { value: 0, labels: { service: "other" } },
    ]);
  });

  test("has waited since a driver parked it as ready, if its entry in the open index names a deployment", async () => {
    const stage = await open({});
    const { engine } = stage.actor();
    const count = new OpenCount(engine);
    const nowMs = stage.pulse.nowMs();
    const entry = { pk: "inv#inv_1", sk: "hold#n", service: "S", status: "ready", createdAtMs: nowMs - DAY_MS };
    count.add({ ...entry, deploymentId: "dp_1", lookAtMs: nowMs + 4 * MINUTE_MS });
    expect(count.counted(1).get("S")!.readySinceMs).toBe(nowMs - 6 * MINUTE_MS);
  });
});

test("the moment of the count is reported, and stays the same while no whole walk is made", async () => {
  const stage = await open({ waits });
  const actor = stage.actor();
  await look(stage, actor);
  const moments = () =>
    actor.meter.measures.filter(({ name }) => name === "open_invocations_counted_timestamp_seconds");
  expect(moments().map(({ value }) => value)).toEqual([stage.pulse.nowMs() / 1000]);
  await stage.pulse.pass(MINUTE_MS);
  await sweep(actor.engine, stage.pulse.nowMs(), "due");
  expect(moments()).toHaveLength(1);
});

describe("a walk that takes longer than one turn of a pass", () => {
  const due = (stage: Stage) =>
    Array.from({ length: 60 }, (_, at) => ({ status: "backing-off" as const, lookAtMs: stage.pulse.nowMs() - at }));

  test("gives no count if the pass hands the rest to workers, and gives a count if the pass does the rest itself", async () => {
    const stage = await open({ waits });
    const [cut, whole] = [stage.actor(), stage.actor()];
    await plantOpen(stage.stores.table, cut.engine, due(stage));
    for (const actor of [cut, whole]) slowed(actor, stage, 4_000);
    const engine = { ...cut.engine, slices: { send: async () => undefined } };
    const { handedOver } = await stage.pulse.within(10 * MINUTE_MS, sweepOnce(engine));
    expect(handedOver).toBeGreaterThan(0);
    expect(cut.meter.standing.size).toBe(0);
    await look(stage, whole);
    expect(readingsOf(whole)).toEqual({ "S backing-off": 60 });
  });

  test("gives a count if an operator has ordered the walk", async () => {
    const stage = await open({ waits });
    const actor = stage.actor();
    await plantOpen(stage.stores.table, actor.engine, due(stage));
    await stage.pulse.within(10 * MINUTE_MS, sweepOnce(actor.engine));
    actor.meter.standing.clear();
    slowed(actor, stage, 4_000);
    await stage.pulse.within(10 * MINUTE_MS, sweepAll(actor.engine));
    expect(readingsOf(actor)).toEqual({ "S backing-off": 60 });
  });
});
