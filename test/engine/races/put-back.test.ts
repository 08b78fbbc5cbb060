/** Messages that are put back (I11): they stay few, and dead drivers are still taken over. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limitSends } from "../../harness/engine/peaceful-queue.ts";

const open = stages();
const SIGNALS = 50;
const value = { kind: "success" as const, value: new Uint8Array(1) };

test("fifty signals to one running attempt do not leave fifty circulating messages", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async (ctx) => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      for (let count = 0; count < SIGNALS; count++) await ctx.get(ctx.signal(`news ${count}`));
      return "heard all";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "slow");
  await stage.pulse.pass(100);
  for (let count = 0; count < SIGNALS; count++) {
    void deliverSignal(actor.engine, invocationId, `x${count}`, { name: `news ${count}` }, value);
    if (count % 5 === 0) await stage.pulse.pass(30);
  }
  await stage.pulse.pass(LEASE_MS);
  const sends = limitSends(actor, SIGNALS);
  await stage.pulse.pass(5 * LEASE_MS);
  // One chain of messages follows the attempt: at most two for each renewal of its lease.
  expect(sends()).toBeGreaterThan(0);
  expect(sends()).toBeLessThanOrEqual(20);
  gate.open();
  const ended = await stage.pulse.within(LEASE_MS, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("heard all");
});

test("fifty signals that satisfy no await leave one message during a sleep, and the sleep ends in time", async () => {
  const stage = await open({
    nap: async (ctx) => {
      await ctx.get(ctx.sleep(Number(ctx.input)));
      return "slept";
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "nap", String(stage.pulse.nowMs() + 60_000));
  await stage.pulse.pass(LEASE_MS);
  const sends = limitSends(actor, 3 * SIGNALS);
  for (let count = 0; count < SIGNALS; count++)
    await stage.pulse.during(deliverSignal(actor.engine, invocationId, `x${count}`, { name: "news" }, value));
  await stage.pulse.pass(1_000);
  // Each signal brings its own message; one message covers the rest of the sleep.
  expect(sends()).toBeLessThanOrEqual(SIGNALS + 2);
  await stage.pulse.pass(49_000);
  const ended = await stage.pulse.within(0, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("slept");
});

test("a dead driver is taken over although one message stands for several", async () => {
  const stage = await open({
    slow: async () => (stage.deployment.attempts.length === 1 ? await new Promise<string>(() => undefined) : "done"),
  });
  const [first, second] = [stage.actor(), stage.actor()];
  second.startWorker();
  void callOn(first, "slow");
  await stage.pulse.pass(100);
  const id = stage.deployment.attempts[0]!.start.debugId as Parameters<typeof attach>[1];
  for (let count = 0; count < SIGNALS; count++)
    await stage.pulse.during(deliverSignal(second.engine, id, `x${count}`, { name: "news" }, value));
  await stage.pulse.pass(LEASE_MS / 4);
  first.die();
  const ended = await stage.pulse.within(2 * LEASE_MS, attach(second.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("done");
});

test("a process that owns its store alone does not take over from itself after a sleep of the machine", async () => {
  const gate = new Gate();
  // This lease ends between two rounds of the watch that renews leases (`shared/engine/lease/watch.ts`).
  const leaseMs = LEASE_MS + 100;
  const stage = await open(
    {
      slow: async () => {
        await gate.passed;
        return "done";
      },
    },
    { leaseMs },
  );
  const actor = stage.actor({ soleOwner: true });
  const awakeAtMs = stage.pulse.nowMs() + leaseMs;
  // No lease is renewed while the machine sleeps, and the backstop is due when the machine wakes.
  actor.process.before = (call) => {
    return writesHold(call) && stage.pulse.nowMs() < awakeAtMs ? Promise.reject(new StoreError("asleep")) : undefined;
  };
  actor.startWorker();
  const called = callOn(actor, "slow");
  await stage.pulse.pass(3 * LEASE_MS);
  expect(stage.deployment.attempts.map(({ aborted }) => aborted)).toEqual([false]);
  gate.open();
  expect(textOf(await stage.pulse.within(0, called))).toBe("done");
});
