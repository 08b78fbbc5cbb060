/** Processes whose clocks are five seconds ahead or behind: their times do not show which of two events was first. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { keyed, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { acceptanceOf } from "../../harness/engine/named-calls.ts";

const open = stages();
const KEY = { idempotencyKey: "k" };
const SKEW_MS = 5_000;

test("a send with an idempotency key runs once when a process whose clock is behind redoes it for a dead driver", async () => {
  const stage = await open(
    { caller: (ctx) => (ctx.send("child", "", KEY), "done"), child: () => "ok" },
    { idempotencyRetentionMs: 1_000, journalRetentionMs: 1_000 },
  );
  const [dies, behind] = [stage.actor({ aheadMs: SKEW_MS }), stage.actor({ aheadMs: -SKEW_MS })];
  crashBefore(dies, acceptanceOf("child"));
  dies.startWorker();
  const { invocationId } = await sendOn(behind, "caller");
  await stage.pulse.pass(100);
  await sendWake(behind.engine, { id: invocationId }, 0);
  behind.startWorker();
  await stage.pulse.pass(6 * LEASE_MS);
  expect(stage.deployment.of("child")).toHaveLength(1);
});

test("after a process whose clock is ahead has cancelled an invocation before its start, the idempotency key is free at once", async () => {
  const stage = await open({ quick: () => "quick" });
  const [ahead, behind] = [stage.actor({ aheadMs: SKEW_MS }), stage.actor({ aheadMs: -SKEW_MS })];
  const first = await sendOn(behind, "quick", "", { ...KEY, startAtMs: stage.pulse.nowMs() + 3_600_000 });
  expect(await stage.pulse.within(0, cancel(ahead.engine, first.invocationId))).toBe("done");
  expect((await sendOn(behind, "quick", "", KEY)).status).toBe("accepted");
});

test("the second run of a workflow runs although a process whose clock is ahead accepted the first", async () => {
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
