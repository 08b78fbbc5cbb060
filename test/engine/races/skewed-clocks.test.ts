/** Clocks of processes that are each right within five seconds: no order of two events rests on comparing their moments. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/desk/attach.ts";
import { textOf } from "../engine-fixture.ts";
import { keyed, sendKeyed, workflowOf } from "../object-stage.ts";
import { stages } from "../stages.ts";

const open = stages();
const SKEW_MS = 5_000;

test("the second run of a workflow whose first was accepted by a clock that is ahead runs", async () => {
  const settings = { services: [workflowOf()], workflowRetentionMs: 1_000 };
  const stage = await open({ run: (ctx) => `ran ${ctx.input}` }, settings);
  const [ahead, behind] = [stage.actor({ aheadMs: SKEW_MS }), stage.actor({ aheadMs: -SKEW_MS })];
  behind.startWorker();
  await sendKeyed(ahead, keyed("W", "w", "run", "first"));
  await stage.pulse.pass(2_000);
  const second = await sendKeyed(behind, keyed("W", "w", "run", "second"));
  expect(second.status).toBe("accepted");
  const end = await stage.pulse.within(1_000, attach(behind.engine, second.invocationId));
  expect(end.kind === "ended" && textOf(end)).toBe("ran second");
});
