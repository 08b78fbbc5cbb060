/** Tests the wakes for sleeps that a handler awaits together with other results. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

test("after an arrival that leaves only a sleep to await, the wake for that sleep is set", async () => {
  let awakeableId = "";
  const stage = await open({
    both: async (ctx) => {
      const awakeable = ctx.awakeable();
      awakeableId = awakeable.id;
      return (await ctx.all(awakeable.result, ctx.sleep(Number(ctx.input)))).join();
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "both", String(stage.pulse.nowMs() + HOUR_MS));
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(
    100,
    completeAwakeable(actor.engine, awakeableId, { kind: "success", value: new Uint8Array(1) }),
  );
  // No sweeper runs here, so only the wake can resume the invocation.
  await stage.pulse.pass(HOUR_MS);
  const { attempts } = stage.deployment;
  expect(attempts).toHaveLength(2);
  const ended = await stage.pulse.within(1_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("\0,");
});

test("the wake for an earlier sleep is set in addition to the one for a later sleep", async () => {
  let awakeableId = "";
  const stage = await open(
    {
      either: async (ctx) => {
        const awakeable = ctx.awakeable();
        awakeableId = awakeable.id;
        const [late, soon] = [ctx.sleep(Number(ctx.input) + 2 * HOUR_MS), ctx.sleep(Number(ctx.input) + HOUR_MS)];
        await ctx.get({
          ...awakeable.result,
          tree: {
            completions: [],
            signals: [],
            namedSignals: [],
            nested: [
              {
                completions: soon.tree.completions,
                signals: awakeable.result.tree.signals,
                namedSignals: [],
                nested: [],
                combinator: 2,
              },
              late.tree,
            ],
            combinator: 1,
          },
        });
        return "woken";
      },
    },
    { queueDelayMaxMs: 60_000 },
  );
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "either", String(stage.pulse.nowMs()));
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(
    100,
    completeAwakeable(actor.engine, awakeableId, { kind: "success", value: new Uint8Array(1) }),
  );
  await stage.pulse.pass(HOUR_MS);
  expect(stage.deployment.attempts).toHaveLength(2);
});
