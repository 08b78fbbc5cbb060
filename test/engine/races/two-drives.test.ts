/** A second drive of an invocation in one process, and a stop during the lookup of a route. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { AttemptFails } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a call whose exchange hangs is answered after a second drive in the same process has taken over", async () => {
  const stage = await open({ greet: () => "Hello" });
  const actor = stage.actor();
  const overMs = stage.pulse.nowMs() + LEASE_MS;
  stage.deployment.instead = () => (stage.deployment.attempts.length === 1 ? new Promise(() => undefined) : undefined);
  // No renewal succeeds in time, as after a long sleep of the machine.
  actor.process.before = (call) => {
    return writesHold(call) && stage.pulse.nowMs() < overMs ? new Promise(() => undefined) : undefined;
  };
  const called = callOn(actor, "greet");
  await stage.pulse.pass(LEASE_MS + 1);
  expect(stage.deployment.attempts).toHaveLength(1);
  actor.startWorker();
  expect(textOf(await stage.pulse.within(3 * LEASE_MS, called))).toBe("Hello");
});

test("a process that stops while it reads the route counts no failure", async () => {
  let attempts = 0;
  const stage = await open(
    {
      twice: () => {
        if (++attempts === 1) throw new AttemptFails("once");
        return "done";
      },
    },
    { retry: { initialIntervalMs: 1_000, maxAttempts: 2 }, waitInDriverMaxMs: 5_000 },
  );
  const first = stage.actor();
  const gate = new Gate();
  const called = callOn(first, "twice");
  called.catch(() => undefined);
  await stage.pulse.pass(500);
  first.process.before = ({ port }) => (port === "meta" ? gate.passed : undefined);
  await stage.pulse.pass(2_000);
  first.engine.activeInvocations.stop();
  gate.open();
  await stage.pulse.pass(100);
  const second = stage.actor();
  second.startWorker();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  const ended = await stage.pulse.within(2 * LEASE_MS, attach(second.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("done");
});
