/** Processes with little time: they hand over what they cannot finish, count no failure, and note the slow handler. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { StoppingError } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { withinTime } from "../../../shared/engine/consume/time-budget.ts";
import { callOn, textOf, type Actor } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const TIME_MS = 4_000;

function timed<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
  return withinTime(actor.engine, actor.engine.clock.nowMs() + TIME_MS, work);
}

/** Opens a stage with a driver of little time and a worker of much time. */
async function openStage(handlers: Record<string, Handler>) {
  const stage = await open(handlers, { slow: { slowFromMs: 1_000, slowServices: "queue" } });
  return { stage, driver: stage.actor(), worker: stage.actor() };
}

test("a call that is cut for time fails with the id of its invocation, and the worker goes on at once", async () => {
  const gate = new Gate();
  const { stage, driver, worker } = await openStage({
    slow: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  const refused = timed(driver, () => callOn(driver, "slow")).catch((error: unknown) => error);
  const error = await stage.pulse.within(TIME_MS + 200, refused);
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(error).toBeInstanceOf(StoppingError);
  expect((error as StoppingError).invocationId).toBe(id);
  expect(driver.engine.activeInvocations.size).toBe(0);

  worker.startWorker();
  await stage.pulse.pass(100);
  const view = await inspect(worker.engine, id);
  expect(view).toMatchObject({ status: "completed", events: [] });
  expect(view).not.toHaveProperty("lastFailure");
});

test("after a handler was cut for time, another driver leaves the next call to the worker, and only waits", async () => {
  const gate = new Gate();
  const { stage, driver, worker } = await openStage({ slow: () => gate.passed.then(() => "done") });
  const other = stage.actor();
  const first = timed(driver, () => callOn(driver, "slow")).catch((error: unknown) => error);
  expect(await stage.pulse.within(TIME_MS + 200, first)).toBeInstanceOf(StoppingError);
  const attempts = stage.deployment.attempts.length;

  const again = timed(other, () => callOn(other, "slow"));
  await stage.pulse.pass(500);
  expect(stage.deployment.attempts).toHaveLength(attempts);
  gate.open();
  worker.startWorker();
  expect(textOf(await stage.pulse.within(TIME_MS, again))).toBe("done");
});

test("an attempt that began shortly before the time was up leads to no slow note", async () => {
  const gate = new Gate();
  const { stage, driver } = await openStage({ quick: () => gate.passed.then(() => "done") });
  const { clock } = driver.engine;
  const work = () => callOn(driver, "quick");
  const first = withinTime(driver.engine, clock.nowMs() + 500, work).catch((error: unknown) => error);
  expect(await stage.pulse.within(1_000, first)).toBeInstanceOf(StoppingError);
  driver.engine.registry.refresh();
  expect(await driver.engine.registry.route("S", "quick")).not.toHaveProperty("slow");
});

test("a process that stopped for lack of time drives again at its next request", async () => {
  const gate = new Gate();
  const { stage, driver } = await openStage({ slow: () => gate.passed.then(() => "done"), quick: () => "at once" });
  const first = timed(driver, () => callOn(driver, "slow")).catch((error: unknown) => error);
  await stage.pulse.within(TIME_MS + 200, first);
  expect(
    textOf(
      await stage.pulse.within(
        100,
        timed(driver, () => callOn(driver, "quick")),
      ),
    ),
  ).toBe("at once");
});

test("after a caller has ended, its driver drops a call that the caller did not await, and a worker drives it", async () => {
  const gate = new Gate();
  const { stage, driver, worker } = await openStage({
    caller: (ctx) => {
      ctx.call("child");
      return "did not wait";
    },
    child: async () => {
      if (stage.deployment.attempts.length === 2) await gate.passed;
      return "done";
    },
  });
  const ended = await stage.pulse.within(
    1_000,
    timed(driver, () => callOn(driver, "caller")),
  );
  expect(textOf(ended)).toBe("did not wait");
  expect(driver.engine.activeInvocations.size).toBe(0);
  worker.startWorker();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts.map(({ handler }) => handler)).toEqual(["caller", "child", "child"]);
});
