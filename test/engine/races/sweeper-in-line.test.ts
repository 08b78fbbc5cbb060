/** The sweeper and invocations that wait for their key: a walk over everything wakes none of them. */
import { expect, test } from "vitest";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a walk over everything wakes no invocation that only waits for its key", async () => {
  const stage = await open({ waits: (ctx) => ctx.get(ctx.awakeable().result) }, { services: [objectOf(["waits"])] });
  const actor = stage.actor();
  actor.startWorker();
  for (let count = 0; count < 5; count++) await sendKeyed(actor, keyed("O", "k", "waits"));
  await stage.pulse.pass(2 * LEASE_MS);
  const everything = sweep(actor.engine, stage.pulse.nowMs(), "everything", -Infinity);
  expect((await stage.pulse.within(1_000, everything)).woken).toBe(0);
});
