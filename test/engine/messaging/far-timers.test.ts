/** Timers of far moments: one timer for each moment, set before the park that needs it, and cancelled if obsolete (ADR 0022). */
import { expect, test } from "vitest";
import { LadderTimers } from "../../../shared/adapters/scheduler/ladder-timers.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, callOn, LEASE_MS, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const naps: Handler = async (ctx) => (await ctx.get(ctx.sleep(Number(ctx.input))), "awake");
/** A handler that sleeps until the moment in its input and takes `signals` signals meanwhile. */
const nap = (signals: number): Handler => {
  return async (ctx) => {
    const over = ctx.sleep(Number(ctx.input));
    for (let at = 0; at < signals; at++) await ctx.race(over, ctx.signal(`s${at}`));
    return "done";
  };
};

const working = (stage: Stage): Actor => {
  const actor = stage.actor();
  actor.startWorker();
  return actor;
};

/** Starts a worker whose timers are a ladder. */
function climbing(stage: Stage): Actor {
  const actor = stage.actor();
  const engine = { ...actor.engine, timers: new LadderTimers(actor.engine) };
  void runWorker(engine, new AbortController().signal, { concurrencyMax: 9 });
  return { ...actor, engine };
}

const signal = async (stage: Stage, { engine }: Actor, id: InvocationId, at: number) =>
  await stage.pulse.during(
    deliverSignal(engine, id, `x${at}`, { name: `s${at}` }, { kind: "success", value: new Uint8Array(1) }),
  );

const calls = ({ process }: Actor, method: "at" | "cancel"): readonly PortCall[] =>
  process.calls.filter((call) => call.port === "timers" && call.method === method);

const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

/** Longer than the last wakes take, and shorter than any interval of the sweeper. */
const A_MOMENT_MS = 30_000;

test.each([1, 3])(
  "after %i failures to set a timer, the timer is set, and the sleep ends at its moment",
  async (failures) => {
    const stage = await open({ naps });
    const actor = stage.actor();
    let tries = 0;
    actor.process.before = ({ port, method }) =>
      port === "timers" && method === "at" && tries++ < failures
        ? Promise.reject(new StoreError("throttled"))
        : undefined;
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "naps", String(stage.pulse.nowMs() + 2 * HOUR_MS));
    await stage.pulse.pass(2 * HOUR_MS - 1);
    expect(await statusOf(actor, invocationId)).toBe("suspended");
    expect(tries).toBe(failures + 1);
    await stage.pulse.pass(1);
    expect(await statusOf(actor, invocationId)).toBe("completed");
  },
);

test.each([10 * MINUTE_MS, HOUR_MS])(
  "a driver that dies after the park for a sleep of %i ms leaves a wake",
  async (sleepMs) => {
    const stage = await open({ naps });
    const ingress = stage.actor();
    let parked = false;
    ingress.process.before = (call) => {
      // The driver dies before its first port call after the park, so it can send no wake after the park.
      if (parked) ingress.die();
      const dies = parked;
      parked ||= writesHold(call);
      return dies ? Promise.resolve() : undefined;
    };
    void callOn(ingress, "naps", String(stage.pulse.nowMs() + sleepMs));
    await stage.pulse.pass(100);
    const worker = working(stage);
    const { items } = await stage.stores.table.queryIndex("open", "open#0");
    const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
    expect(items).toHaveLength(1);
    await stage.pulse.pass(sleepMs + A_MOMENT_MS);
    expect(await statusOf(worker, id)).toBe("completed");
  },
);

test("several parks until the same far moment set one timer, which is cancelled if the end comes first", async () => {
  const stage = await open({ nap: nap(5) });
  const actor = working(stage);
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 30 * 24 * HOUR_MS));
  for (let at = 0; at < 5; at++) {
    await stage.pulse.pass(MINUTE_MS);
    await signal(stage, actor, invocationId, at);
  }
  await stage.pulse.pass(MINUTE_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
  const [set, cancelled] = [calls(actor, "at"), calls(actor, "cancel")];
  expect(set).toHaveLength(1);
  expect(cancelled.map(({ args }) => args[0])).toEqual(set.map(({ args }) => (args[0] as { name: string }).name));
});

test("a timer whose moment has come or is near is not cancelled, which saves a request", async () => {
  const stage = await open({ naps, nap: nap(1) });
  const actor = working(stage);
  const slept = await sendOn(actor, "naps", String(stage.pulse.nowMs() + HOUR_MS));
  const cut = await sendOn(actor, "nap", String(stage.pulse.nowMs() + HOUR_MS));
  await stage.pulse.pass(50 * MINUTE_MS);
  await signal(stage, actor, cut.invocationId, 0);
  await stage.pulse.pass(10 * MINUTE_MS + 1);
  expect([await statusOf(actor, slept.invocationId), await statusOf(actor, cut.invocationId)]).toEqual([
    "completed",
    "completed",
  ]);
  expect([calls(actor, "at").length, calls(actor, "cancel").length]).toEqual([2, 0]);
});

test("the kill of an invocation that is scheduled for later cancels its timer", async () => {
  const stage = await open({ naps });
  const actor = working(stage);
  const startAtMs = stage.pulse.nowMs() + 24 * HOUR_MS;
  const { invocationId } = await sendOn(actor, "naps", "", { startAtMs });
  await stage.pulse.pass(MINUTE_MS);
  expect(await stage.pulse.within(1_000, kill(actor.engine, invocationId))).toBe("done");
  expect([calls(actor, "at").length, calls(actor, "cancel").length]).toEqual([1, 1]);
});

test("a second park until another far moment cancels the timer of the first park", async () => {
  const stage = await open({
    two: async (ctx) => {
      const nowMs = Number(ctx.input);
      const later = ctx.sleep(nowMs + 3 * HOUR_MS);
      await ctx.race(later, ctx.signal("s0"));
      await ctx.race(later, ctx.sleep(nowMs + 2 * HOUR_MS));
      return "done";
    },
  });
  const actor = working(stage);
  const nowMs = stage.pulse.nowMs();
  const { invocationId } = await sendOn(actor, "two", String(nowMs));
  await stage.pulse.pass(MINUTE_MS);
  await signal(stage, actor, invocationId, 0);
  await stage.pulse.pass(MINUTE_MS);
  expect(calls(actor, "at").map(({ args }) => (args[0] as { wakeAtMs: number }).wakeAtMs - nowMs)).toEqual([
    3 * HOUR_MS,
    2 * HOUR_MS,
  ]);
  expect(calls(actor, "cancel")).toHaveLength(1);
  await stage.pulse.pass(nowMs + 2 * HOUR_MS - stage.pulse.nowMs());
  expect(await statusOf(actor, invocationId)).toBe("completed");
});

test("a timer that cannot be cancelled does not prevent the end", async () => {
  const stage = await open({ nap: nap(1) });
  const actor = working(stage);
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 24 * HOUR_MS));
  await stage.pulse.pass(MINUTE_MS);
  actor.process.before = ({ method }) =>
    method === "cancel" ? Promise.reject(new StoreError("throttled")) : undefined;
  await signal(stage, actor, invocationId, 0);
  await stage.pulse.pass(MINUTE_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
  // If the driver failed, the queue would deliver the message of the signal again within this time.
  await stage.pulse.pass(2 * LEASE_MS);
  expect(actor.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("the ladder goes on after one of its messages led to a claim, if the invocation parks for the same moment", async () => {
  const stage = await open({ nap: nap(2) });
  const actor = climbing(stage);
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 2 * HOUR_MS));
  await stage.pulse.pass(MINUTE_MS);
  // The arrival is written and its wake is lost: the next hop leads to a read of the arrival.
  const stranger = stage.actor();
  stranger.process.before = ({ method }) => {
    if (method === "send") stranger.die();
    return method === "send" ? new Promise(() => undefined) : undefined;
  };
  void deliverSignal(
    stranger.engine,
    invocationId,
    "x0",
    { name: "s0" },
    { kind: "success", value: new Uint8Array(1) },
  );
  await stage.pulse.pass(20 * MINUTE_MS);
  expect(stage.deployment.attempts).toHaveLength(2);
  await stage.pulse.pass(100 * MINUTE_MS + A_MOMENT_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
});

test("if a message of the ladder comes during an attempt, the ladder goes on after the attempt, until its moment", async () => {
  const gate = new Gate();
  const stage = await open({
    nap: async (ctx) => {
      const over = ctx.sleep(Number(ctx.input));
      await ctx.race(over, ctx.signal("s0"));
      await ctx.get(ctx.run("slow", async () => (await gate.passed, "")));
      await ctx.get(over);
      return "done";
    },
  });
  const actor = climbing(stage);
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 2 * HOUR_MS));
  await stage.pulse.pass(14 * MINUTE_MS);
  await signal(stage, actor, invocationId, 0);
  await stage.pulse.pass(2 * MINUTE_MS);
  gate.open();
  await stage.pulse.pass(104 * MINUTE_MS + A_MOMENT_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
});

test("a message of the ladder for a far moment is sent on while the invocation is parked for a near one", async () => {
  const stage = await open({
    nap: async (ctx) => {
      const over = ctx.sleep(Number(ctx.input));
      await ctx.race(over, ctx.signal("s0"));
      await ctx.race(over, ctx.sleep(Number(ctx.input) - 104 * MINUTE_MS));
      await ctx.get(over);
      return "done";
    },
  });
  const actor = climbing(stage);
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 2 * HOUR_MS));
  await stage.pulse.pass(14 * MINUTE_MS);
  await signal(stage, actor, invocationId, 0);
  await stage.pulse.pass(106 * MINUTE_MS + A_MOMENT_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
});

test("a timer that never fires delays an invocation until the sweeper's next pass, which finds it in the open index", async () => {
  const stage = await open({ naps });
  const actor = stage.actor();
  const engine = { ...actor.engine, timers: { at: async () => {}, cancel: async () => {} } };
  void runWorker(engine, new AbortController().signal, { concurrencyMax: 9 });
  const { invocationId } = await sendOn(actor, "naps", String(stage.pulse.nowMs() + HOUR_MS));
  await stage.pulse.pass(HOUR_MS + A_MOMENT_MS);
  expect(await statusOf(actor, invocationId)).toBe("suspended");
  await stage.pulse.within(1_000, sweep(engine, stage.pulse.nowMs()));
  await stage.pulse.pass(1_000);
  expect((await output(engine, invocationId)).kind).toBe("ended");
});
