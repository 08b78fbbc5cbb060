/** The engine counts once, for an alarm, each pause that it decides itself; it does not count pauses by an operator. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const FAR_MS = 3_600_000;
const ONE_ATTEMPT = { initialIntervalMs: 10, maxIntervalMs: 10, maxAttempts: 1, onMaxAttempts: "pause" as const };

const pausesOf = (...actors: readonly Actor[]): number =>
  actors.flatMap(({ meter }) => meter.measures).filter(({ name }) => name === "invocations_paused_total").length;
const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

/** Repeats the message and lets the sweeper look at everything. */
async function lookAgain(stage: Stage, { engine }: Actor, invocationId: InvocationId): Promise<void> {
  await stage.pulse.within(0, engine.queue.send({ invocationId, sentAtMs: engine.clock.nowMs(), delayMs: 0 }));
  await sweep(engine, stage.pulse.nowMs(), "everything");
  await stage.pulse.pass(FAR_MS);
}

test.each<[string, Handler]>([
  [
    "and added nothing",
    () => {
      throw new Error("boom");
    },
  ],
  [
    "after a stored step",
    async (ctx) => {
      await ctx.get(ctx.run("step", () => "done"));
      throw new Error("boom");
    },
  ],
])("an invocation whose last attempt failed %s is counted once, however often it is looked at", async (_, stumbles) => {
  const stage = await open({ stumbles }, { retry: ONE_ATTEMPT });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "stumbles");
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  expect(pausesOf(actor)).toBe(1);
  await lookAgain(stage, actor, invocationId);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  expect(pausesOf(actor)).toBe(1);
});

test("an invocation that is resumed without a repair is paused and counted again", async () => {
  const stumbles: Handler = () => {
    throw new Error("boom");
  };
  const stage = await open({ stumbles }, { retry: ONE_ATTEMPT });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "stumbles");
  await stage.pulse.pass(FAR_MS);
  expect(await resume(actor.engine, invocationId, { kind: "keep" })).toBe("done");
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  expect(pausesOf(actor)).toBe(2);
});

test("neither a failed attempt that is repeated nor an end counts as a pause", async () => {
  const stumbles: Handler = () => {
    if (stage.deployment.attempts.length <= 2) throw new Error("boom");
    return "well";
  };
  const stage: Stage = await open({ stumbles });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "stumbles");
  await stage.pulse.pass(FAR_MS);
  expect(await statusOf(actor, invocationId)).toBe("completed");
  expect(pausesOf(actor)).toBe(0);
});

test("a pause by an operator is not counted, however often the invocation is looked at", async () => {
  const retry = { initialIntervalMs: 500_000, maxIntervalMs: 500_000, maxAttempts: 5 };
  const stumbles: Handler = () => {
    throw new Error("boom");
  };
  const stage = await open({ stumbles }, { retry });
  const [actor, operator] = [stage.actor(), stage.actor()];
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "stumbles");
  await stage.pulse.settle();
  expect(await pause(operator.engine, invocationId)).toBe("noted");
  await stage.pulse.pass(1_000);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  await lookAgain(stage, actor, invocationId);
  expect(await statusOf(actor, invocationId)).toBe("paused");
  expect(pausesOf(actor, operator)).toBe(0);
});

test("a paused dead letter is counted once, by the sweeper", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const { invocationId } = await stage.pulse.within(0, sendOn(sweeper, "work"));
  for (const { receipt, wake } of await stage.pulse.within(0, stage.stores.queue.receive(10, 1_000, 0))) {
    await stage.stores.queue.ack(receipt);
    await letters.stores.queue.send(wake);
  }
  sweeper.process.before = ({ port, method, args }) =>
    port === "table" && method === "put" && /^seg#.+#/.test((args[0] as { sk: string }).sk)
      ? Promise.reject(new Error("the item is cursed"))
      : undefined;
  const untilMs = sweeper.engine.clock.nowMs() + 60_000;
  const drained = await stage.pulse.within(60_000, drainDeadLetters(sweeper.engine, letters.stores.queue, untilMs));
  expect(drained).toEqual({ driven: 0, paused: 1 });
  expect(await statusOf(sweeper, invocationId)).toBe("paused");
  expect(pausesOf(sweeper)).toBe(1);
});
