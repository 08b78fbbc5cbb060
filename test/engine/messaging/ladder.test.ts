/** Tests wakes that come before their moment: they are sent on only while the invocation waits for that moment. */
import { expect, test } from "vitest";
import { LadderTimers } from "../../../shared/adapters/scheduler/ladder-timers.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { type Actor, type Stage, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const HOP_MS = 900_000;

const nap =
  (nowMs: () => number): Handler =>
  async (ctx) => {
    await ctx.get(ctx.sleep(nowMs() + Number(ctx.input)));
    return "awake";
  };

/** @returns an actor whose timers are a ladder, with a worker that ends with its stage */
function climber(stage: Stage): Actor {
  const actor = stage.actor();
  const { queue, clock } = actor.engine;
  const engine = { ...actor.engine, timers: new LadderTimers({ queue, clock, hopMs: HOP_MS }) };
  const stopping = new AbortController();
  const climbing = {
    ...actor,
    engine,
    startWorker: () => void runWorker(engine, stopping.signal, { concurrencyMax: 9 }),
  };
  climbing.startWorker();
  return climbing;
}

const sends = ({ process }: Actor): number => process.methods("queue").filter((method) => method === "send").length;

test("a long sleep climbs its ladder hop by hop, and ends at its moment", async () => {
  const stage = await open({ nap: nap(() => stage.pulse.nowMs()) });
  const actor = climber(stage);
  const { invocationId } = await sendOn(actor, "nap", String(2 * HOUR_MS));
  await stage.pulse.pass(2 * HOUR_MS - 1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "suspended", attempts: 1 });
  // The first message, and one for each quarter of an hour, each sent in place of the previous message (I11).
  expect(sends(actor)).toBe(1 + (2 * HOUR_MS) / HOP_MS);
  await stage.pulse.pass(1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed", attempts: 2 });
  expect(sends(actor)).toBe(1 + (2 * HOUR_MS) / HOP_MS);
});

test("a message of a ladder is not sent on once its invocation is completed", async () => {
  const stage = await open({ nap: nap(() => stage.pulse.nowMs()) });
  const actor = climber(stage);
  const { invocationId } = await sendOn(actor, "nap", String(10 * HOUR_MS));
  await stage.pulse.pass(HOP_MS + 1);
  await cancel(actor.engine, invocationId);
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
  const before = sends(actor);
  await stage.pulse.pass(10 * HOUR_MS);
  expect(sends(actor)).toBe(before);
});

test("a message for another moment than the awaited one is not sent on", async () => {
  const stage = await open({ nap: nap(() => stage.pulse.nowMs()) });
  const actor = climber(stage);
  const { invocationId } = await sendOn(actor, "nap", String(HOUR_MS));
  await stage.pulse.pass(1_000);
  const before = sends(actor);
  const nowMs = stage.pulse.nowMs();
  await actor.engine.queue.send({ invocationId, sentAtMs: nowMs, delayMs: 0, wakeAtMs: nowMs + 2 * HOUR_MS });
  await stage.pulse.pass(1_000);
  expect(sends(actor)).toBe(before + 1);
});

test("a timer that fires more than a minute early still leads to a wake at its exact moment", async () => {
  const stage = await open({ nap: nap(() => stage.pulse.nowMs()) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "nap", String(HOUR_MS));
  await stage.pulse.pass(HOUR_MS - 600_000);
  const view = await inspect(actor.engine, invocationId);
  const wakeAtMs = view!.wakeAtMs!;
  const nowMs = stage.pulse.nowMs();
  const before = sends(actor);
  await actor.engine.queue.send({ invocationId, sentAtMs: nowMs, delayMs: 0, wakeAtMs });
  await stage.pulse.pass(1_000);
  expect(sends(actor)).toBe(before + 2);
  await stage.pulse.pass(wakeAtMs - stage.pulse.nowMs());
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed", attempts: 2 });
});
