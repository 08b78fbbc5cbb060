/** A call that its caller does not await: another process drives the call on after the first process died. */
import { expect, test } from "vitest";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a call that its caller does not await is driven on when the process dies after the caller's end", async () => {
  const stage = await open({
    parent: (ctx) => (ctx.call("child"), "done"),
    child: async () => {
      await stage.pulse.sleep(1_000);
      return "late";
    },
  });
  const first = stage.actor();
  expect(textOf(await stage.pulse.within(0, callOn(first, "parent")))).toBe("done");
  first.die();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(2);
});
