/** A driver dies after a final segment: other processes perform the effects of that segment and deliver the result. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { LEASE_MS, sendOn, textOf, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import { acceptanceOf, arrival } from "../../harness/engine/named-calls.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test("a worker that gets an invocation's message late performs the effects of its final segment, although the sweeper has already looked at its entry in the listing", async () => {
  const stage = await open(
    { first: (ctx) => (ctx.send("second"), "done"), second: () => "done" },
    { journalRetentionMs: HOUR_MS },
  );
  const worker = stage.actor();
  crashBefore(worker, acceptanceOf("second"));
  await sendOn(stage.actor(), "first");
  worker.startWorker();
  await stage.pulse.pass(6 * MINUTE_MS);
  expect(stage.deployment.of("first")).toHaveLength(1);
  await run(stage, sweepOnce(stage.actor().engine));
  stage.actor().startWorker();
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.of("second")).toHaveLength(1);
});

test.each([
  ["the regular passes", async (stage: Stage, { engine }: Actor) => await passes(stage, engine)],
  [
    "an order to look at everything",
    async (stage: Stage, { engine }: Actor) => void (await run(stage, sweepAll(engine))),
  ],
])(
  "a caller that awaits a call or a far moment gets the result of the call through %s, although all messages and timers are lost",
  async (_, sweeps) => {
    const stage = await open({
      caller: (ctx) => ctx.race(ctx.call("callee"), ctx.sleep(Number(ctx.input))),
      callee: () => "told",
    });
    const first = stage.actor();
    // The driver of both invocations dies in the callee's first attempt, before the handler runs; the next worker gets one
    // message for each.
    stage.deployment.instead = ({ handler }) => void (handler === "callee" && first.die());
    const { invocationId } = await sendOn(first, "caller", String(stage.pulse.nowMs() + 30 * DAY_MS));
    first.startWorker();
    await stage.pulse.pass(1_000);
    stage.deployment.instead = undefined;
    const second = stage.actor();
    crashBefore(second, arrival);
    second.startWorker();
    await stage.pulse.pass(3 * LEASE_MS);
    expect(stage.deployment.of("callee")).toHaveLength(2);
    await stage.wipeHints();
    const worker = stage.actor();
    worker.startWorker();
    await sweeps(stage, worker);
    await stage.pulse.pass(1_000);
    const ended = await run(stage, attach(worker.engine, invocationId));
    expect(ended.kind === "ended" && textOf(ended)).toBe("told");
  },
);

async function run<T>({ pulse }: Stage, work: Promise<T>): Promise<T> {
  return await pulse.within(1_000, work);
}

/**
 * Sweeps every five minutes for an hour. In this time the age of each invocation doubles at least once, and the sweeper reads
 * the arrivals of an invocation after each doubling.
 */
async function passes(stage: Stage, engine: Engine): Promise<void> {
  for (let count = 0; count < 12; count++) {
    await stage.pulse.pass(5 * MINUTE_MS);
    await run(stage, sweepOnce(engine));
  }
}
