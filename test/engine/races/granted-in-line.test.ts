/** A key that is handed to a call while the driver that accepted the call writes the park of the call (I4, I6). */
import { expect, test } from "vitest";
import { callOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { addCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("if a call gets its key during the write of its park, the call starts right after the park, without a message", async () => {
  const [work, park] = [new Gate(), new Gate()];
  const stage = await open(
    {
      caller: async (ctx) => await ctx.get(ctx.call("add", "10", { service: "O", key: "k" })),
      slow: async (ctx) => (await work.passed, addCount(ctx)),
      add: addCount,
    },
    { services: [objectOf(["add", "slow"])] },
  );
  const [caller, other] = [stage.actor(), stage.actor()];
  other.startWorker();
  await stage.pulse.within(0, sendKeyed(other, keyed("O", "k", "slow", "1")));
  await stage.pulse.settle();
  let parks = 0;
  caller.process.before = (call) => {
    if (!writesHold(call) || stage.deployment.of("caller").length === 0 || parks++ > 0) return undefined;
    return park.passed;
  };
  const result = callOn(caller, "caller");
  await stage.pulse.settle();
  expect(parks).toBe(1);
  // The message of the hand-over comes while the lease from the acceptance of the call is live, so it is put back.
  work.open();
  await stage.pulse.settle();
  expect(stage.deployment.of("add")).toHaveLength(0);
  park.open();
  await stage.pulse.settle();
  expect(stage.deployment.of("add")).toHaveLength(1);
  expect(textOf(await stage.pulse.within(5_000, result))).toBe("11");
});
