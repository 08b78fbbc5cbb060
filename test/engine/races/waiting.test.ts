/** An attach waits for the result of one life, and polls seldom if the process owns its store alone. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

test("an attach to one life of an id does not get the result of the next life", async () => {
  const stage = await open(
    { hears: (ctx) => (ctx.input === "first" ? ctx.get(ctx.awakeable().result) : "second") },
    { idempotencyRetentionMs: 0 },
  );
  const [actor, elsewhere] = [stage.actor(), stage.actor()];
  actor.startWorker();
  const key = { idempotencyKey: "one" };
  const { invocationId } = await sendOn(actor, "hears", "first", key);
  await stage.pulse.pass(1_000);
  // The attach runs in another process and therefore only polls; the id begins another life between two polls.
  const waiting = attach(elsewhere.engine, invocationId);
  await stage.pulse.pass(5_100);
  expect(await stage.pulse.within(0, kill(actor.engine, invocationId))).toBe("done");
  expect(textOf(await stage.pulse.within(0, callOn(actor, "hears", "second", key)))).toBe("second");
  expect((await stage.pulse.within(5_000, waiting)).kind).toBe("unknown");
});

test("a process that owns its store alone seldom polls for an end that its memory will report", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      await gate.passed;
      return "done";
    },
  });
  const actor = stage.actor({ soleOwner: true });
  const called = callOn(actor, "slow");
  await stage.pulse.pass(100);
  const waiting = attach(actor.engine, stage.deployment.attempts[0]!.start.debugId as InvocationId);
  await stage.pulse.pass(1_000);
  actor.process.calls.length = 0;
  await stage.pulse.pass(HOUR_MS / 2);
  expect(actor.process.methods("table").filter((method) => method === "query").length).toBeLessThan(70);
  gate.open();
  // A silent attempt may have been aborted, so the next attempt may still have to begin, and the end takes a while. Yet the
  // attach ends within 20 seconds, which is less than the time between two polls: the memory of the process reports the end.
  const ended = await stage.pulse.within(20_000, waiting);
  expect(ended.kind === "ended" && textOf(ended)).toBe("done");
  await called;
});
