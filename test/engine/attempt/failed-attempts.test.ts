/** Each failed attempt counts: equal failures are one event with a count, the first attempt and the last one. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const RETRY_MS = 100;
const PARKED_MS = 120_000;

/** Fails in the way that `says` gives for each attempt, and ends at the first attempt without a failure. */
async function failing(says: (attempt: number) => string | undefined, before?: Handler, retryMs = RETRY_MS) {
  const stage = await open(
    {
      stumbles: async (ctx) => {
        await before?.(ctx);
        const words = says(stage.deployment.attempts.length);
        if (words !== undefined) throw new Error(words);
        return "well";
      },
    },
    { retry: { initialIntervalMs: retryMs, maxIntervalMs: retryMs } },
  );
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "stumbles");
  return { stage, actor, id };
}

async function runsOf({ engine }: Actor, id: InvocationId) {
  const { events, attempts } = (await inspect(engine, id))!;
  return {
    attempts,
    events: events.map(({ message, attempt, times, last }) => [message, attempt, times, last?.attempt]),
  };
}

test("a failure that repeats fourteen times counts fourteen attempts, in the driver and in every other process", async () => {
  // The driver waits so long for the next attempt only in the table.
  const { stage, actor, id } = await failing(() => "no", undefined, PARKED_MS);
  while (stage.deployment.attempts.length < 14) await stage.pulse.pass(PARKED_MS);
  const expected = { attempts: 14, events: [["no", 1, 14, 14]] };
  expect(await runsOf(actor, id)).toEqual(expected);
  expect(await runsOf(stage.actor(), id)).toEqual(expected);
  const [run] = (await inspect(stage.actor().engine, id))!.events;
  expect(run!.last!.atMs - run!.atMs).toBeGreaterThanOrEqual((13 * PARKED_MS) / 2);
  expect(run!.last!.startedAtMs).toBeGreaterThan(run!.atMs);
});

test.each([
  ["stores nothing", undefined, 1],
  // The first attempt suspends once it has stored the run.
  ["stores entries first", (async (ctx) => await ctx.get(ctx.run("one", () => "1"))) as Handler, 2],
])(
  "runs of failures keep their counts after other failures and a success, if the handler %s",
  async (_, before, from) => {
    const words = (attempt: number): string | undefined =>
      attempt <= 5 ? "first" : attempt <= 7 ? "second" : attempt <= 11 ? "first" : undefined;
    const { stage, actor, id } = await failing(words, before);
    while ((await inspect(actor.engine, id))?.status !== "completed") await stage.pulse.pass(RETRY_MS);
    const expected = {
      attempts: 12,
      events: [
        ["first", from, 6 - from, 5],
        ["second", 6, 2, 7],
        ["first", 8, 4, 11],
      ],
    };
    expect(await runsOf(actor, id)).toEqual(expected);
    expect(await runsOf(stage.actor(), id)).toEqual(expected);
  },
);

test.each(["killed", "paused and killed"])("an invocation that is %s keeps the count of its failures", async (how) => {
  const { stage, actor, id } = await failing(() => "no");
  while (stage.deployment.attempts.length < 6) await stage.pulse.pass(RETRY_MS);
  await stage.pulse.settle();
  if (how === "paused and killed") {
    await pause(actor.engine, id);
    await stage.pulse.settle();
  }
  const { attempts } = await runsOf(actor, id);
  await kill(actor.engine, id);
  await stage.pulse.pass(1_000);
  expect(await runsOf(stage.actor(), id)).toEqual({ attempts, events: [["no", 1, attempts, attempts]] });
});
