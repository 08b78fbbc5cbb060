/** Open exchanges in a process whose time is bounded: half-closed in time, and slow only if a single step is slow (ADR 0008). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { withinTime } from "../../../shared/engine/consume/time-budget.ts";
import { StoppingError } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { type Actor, callOn, type Stage, type StageSettings, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const TIME_MS = 10_000;
const LEAVES_MS = 8_000;
const SETTINGS: StageSettings = {
  opensExchanges: true,
  openWaitMs: 0,
  slow: { slowFromMs: 5_000, slowServices: "queue" },
};

/** A handler of many runs, each of which takes `stepMs`. */
const steps =
  (stage: () => Stage, stepMs: number, count: number): Handler =>
  async (ctx) => {
    for (let at = 0; at < count; at++)
      await ctx.get(
        ctx.run(`run ${at}`, () =>
          stage()
            .pulse.sleep(stepMs)
            .then(() => `${at}`),
        ),
      );
    return "done";
  };

async function openStage(handler: (stage: () => Stage) => Handler, settings = {}) {
  const found: { stage?: Stage } = {};
  const stage = (found.stage = await open({ works: handler(() => found.stage!) }, { ...SETTINGS, ...settings }));
  const driver = stage.actor();
  const call = withinTime(driver.engine, stage.pulse.nowMs() + TIME_MS, () => callOn(driver, "works")).catch(
    (error: unknown) => error,
  );
  return { stage, driver, call };
}

const idOf = (stage: Stage) => stage.deployment.attempts[0]!.start.debugId as InvocationId;

async function isNoted({ engine }: Actor): Promise<boolean> {
  engine.registry.refresh();
  const routing = await engine.registry.route("S", "works");
  return engine.registry.isSlow("S") || "slow" in routing;
}

test("shortly before the time is up the exchange is half-closed: the step in progress is kept, and a worker goes on", async () => {
  const { stage, driver, call } = await openStage((of) => steps(of, 300, 40));
  await stage.pulse.pass(LEAVES_MS - 100);
  const [attempt] = stage.deployment.attempts;
  expect(attempt!.halfClosed).toBe(false);
  await stage.pulse.pass(600);
  expect([attempt!.halfClosed, attempt!.aborted, stage.deployment.attempts.length]).toEqual([true, false, 1]);
  expect(driver.engine.activeInvocations.size).toBe(0);
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(100);
  expect(stage.deployment.attempts.map(({ halfClosed }) => halfClosed)).toEqual([true, false]);
  expect(await stage.pulse.within(TIME_MS, call)).toBeInstanceOf(StoppingError);
  await stage.pulse.pass(TIME_MS);
  const view = await inspect(worker.engine, idOf(stage));
  expect(view).toMatchObject({ status: "completed", events: [] });
  // Each run was executed once: the first driver stored the run that was in progress.
  const names = view!.entries.flatMap((entry) => ("name" in entry ? [entry.name] : []));
  expect(new Set(names).size).toBe(names.length);
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("a handler whose exchange stays open for long, with many quick steps, gets no slow or long note", async () => {
  const { stage, driver, call } = await openStage((of) => steps(of, 300, 40));
  expect(await stage.pulse.within(TIME_MS + 200, call)).toBeInstanceOf(StoppingError);
  expect(await isNoted(driver)).toBe(false);
});

test("a step that does not end in time is cut when the time is up, and its handler gets a slow or a long note", async () => {
  const gate = new Gate();
  const { stage, driver, call } = await openStage(() => async (ctx) => {
    await ctx.get(ctx.run("quick", () => "quick"));
    return await ctx.get(ctx.run("slow", () => gate.passed.then(() => "slow")));
  });
  await stage.pulse.pass(TIME_MS - 100);
  const [attempt] = stage.deployment.attempts;
  expect([attempt!.halfClosed, attempt!.aborted]).toEqual([true, false]);
  expect(await stage.pulse.within(300, call)).toBeInstanceOf(StoppingError);
  expect([attempt!.aborted, driver.engine.activeInvocations.size]).toEqual([true, 0]);
  expect(await isNoted(driver)).toBe(true);
});

test("a wait that may last beyond the time of the process ends early enough, and the invocation is suspended", async () => {
  const { stage, driver, call } = await openStage(() => async (ctx) => await ctx.get(ctx.awakeable().result), {
    openWaitMs: 60_000,
  });
  await stage.pulse.pass(LEAVES_MS - 100);
  const [attempt] = stage.deployment.attempts;
  expect(attempt!.halfClosed).toBe(false);
  await stage.pulse.pass(200);
  expect([attempt!.halfClosed, attempt!.aborted]).toEqual([true, false]);
  expect((await inspect(driver.engine, idOf(stage)))!.status).toBe("suspended");
  expect(await stage.pulse.within(TIME_MS, call)).toBeInstanceOf(StoppingError);
});

test("a process with little time left keeps no exchange open", async () => {
  const stage = await open({ works: async (ctx) => await ctx.get(ctx.run("one", () => "done")) }, SETTINGS);
  const driver = stage.actor();
  const untilMs = stage.pulse.nowMs() + TIME_MS - LEAVES_MS;
  const ended = withinTime(driver.engine, untilMs, () => callOn(driver, "works"));
  expect(textOf(await stage.pulse.within(1_000, ended))).toBe("done");
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([false, false]);
});

test("a caller that waits for a call which its driver drives along gets no long note, however long the call takes", async () => {
  const gate = new Gate();
  const { stage, driver, call } = await openStage(() => async (ctx) => {
    if (ctx.input === "child") return await ctx.get(ctx.run("slow", () => gate.passed.then(() => "done")));
    return await ctx.get(ctx.call("works", "child"));
  });
  await stage.pulse.pass(1_000);
  const [caller, child] = [...driver.engine.activeInvocations.all()];
  await stage.pulse.pass(6_000);
  expect([caller, child].map((one) => one!.attempt.exchange?.long === true)).toEqual([false, true]);
  gate.open();
  const ended = await stage.pulse.within(1_000, call);
  expect(textOf(ended as Parameters<typeof textOf>[0])).toBe("done");
  expect(stage.deployment.attempts).toHaveLength(2);
});
