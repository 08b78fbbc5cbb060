/** Sleeps: short, long, across restarts, and in a race. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { recover } from "../../../shared/engine/sweep/sweep.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

const sleepFor =
  (nowMs: () => number): Handler =>
  async (ctx) => {
    await ctx.get(ctx.sleep(nowMs() + Number(ctx.input)));
    return "awake";
  };

test("a sleep parks its invocation, which resumes exactly when the sleep ends", async () => {
  const stage = await open({ nap: sleepFor(() => stage.pulse.nowMs()) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "nap", "60000");
  await stage.pulse.pass(59_999);
  const view = await inspect(actor.engine, invocationId);
  expect(view).toMatchObject({ status: "suspended", attempts: 1, wakeAtMs: stage.pulse.nowMs() + 1 });
  expect(actor.engine.activeInvocations.size).toBe(0);
  await stage.pulse.pass(1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed", attempts: 2 });
});

test("a sleep longer than the queue's longest delay uses a timer, and ends just as exactly", async () => {
  const stage = await open({ nap: sleepFor(() => stage.pulse.nowMs()) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "nap", String(2 * HOUR_MS));
  await stage.pulse.pass(2 * HOUR_MS - 1);
  expect(actor.process.methods("timers")).toEqual(["at"]);
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.pulse.pass(1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("after a reboot the invocation sleeps only for the remaining time", async () => {
  const stage = await open({ nap: sleepFor(() => stage.pulse.nowMs()) });
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "nap", "60000");
  await stage.pulse.pass(20_000);
  await stage.reboot();
  const second = stage.actor({ soleOwner: true });
  second.startWorker();
  expect(await recover(second.engine)).toBe(0);
  await stage.pulse.pass(39_999);
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.pulse.pass(1);
  expect(stage.deployment.attempts).toHaveLength(2);
  expect(await inspect(second.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("an invocation whose sleep ended while no process ran resumes when a process starts", async () => {
  const stage = await open({ nap: sleepFor(() => stage.pulse.nowMs()) });
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "nap", "60000");
  await stage.pulse.pass(1_000);
  await stage.reboot();
  await stage.pulse.pass(HOUR_MS);
  const second = stage.actor({ soleOwner: true });
  second.startWorker();
  const end = await stage.pulse.within(1_000, attach(second.engine, invocationId));
  expect(end.kind === "ended" && textOf(end)).toBe("awake");
});

test("a sleep until a past moment goes on at once, without a park", async () => {
  const stage = await open({ nap: sleepFor(() => stage.pulse.nowMs()) });
  const actor = stage.actor();
  expect(textOf(await stage.pulse.within(0, callOn(actor, "nap", "-5000")))).toBe("awake");
  expect(actor.process.methods("table")).toEqual(["put", "put", "put"]);
});

test("of two sleeps the shorter one decides a race, and the longer one changes nothing", async () => {
  const stage = await open({
    race: async (ctx) => {
      const nowMs = stage.pulse.nowMs();
      const long = ctx.sleep(nowMs + 50_000);
      await ctx.race(long, ctx.sleep(nowMs + 5_000));
      return "done";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  expect(textOf(await stage.pulse.within(7_000, callOn(actor, "race")))).toBe("done");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts).toHaveLength(2);
});
