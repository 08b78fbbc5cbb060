/** Takeovers after a lease: when they happen, and the effects that they redo (I2). */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { recover } from "../../../shared/engine/sweep/sweep.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { acceptanceOf } from "../../harness/engine/named-calls.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a dead driver is taken over when its lease is over, and not before", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  void callOn(driver, "slow");
  await stage.pulse.pass(100);
  driver.die();
  other.startWorker();
  await stage.pulse.pass(LEASE_MS - 200);
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.pulse.pass(2_000);
  expect(stage.deployment.attempts).toHaveLength(2);
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await inspect(other.engine, id)).toMatchObject({ status: "completed" });
});

test("a process that owns the store alone does not wait for the leases of its predecessor", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  void callOn(stage.actor({ soleOwner: true }), "slow");
  await stage.pulse.pass(100);
  await stage.reboot();
  const next = stage.actor({ soleOwner: true });
  next.startWorker();
  expect(await stage.pulse.within(0, recover(next.engine))).toBe(1);
  await stage.pulse.settle();
  expect(stage.deployment.attempts).toHaveLength(2);
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  expect(await inspect(next.engine, id)).toMatchObject({ status: "completed" });
});

test.each([
  ["before the first child is accepted", crashBefore, acceptanceOf("a")],
  ["before the second child is accepted", crashBefore, acceptanceOf("b")],
  ["when both children are accepted", crashAfter, acceptanceOf("b")],
])(
  "a driver that takes over redoes the effects of the last segment: the former driver died %s",
  async (_, crash, call) => {
    const stage = await open({
      parent: async (ctx) => {
        ctx.send("a");
        ctx.send("b");
        return await ctx.get(ctx.run("after", () => "done"));
      },
      a: () => "",
      b: () => "",
    });
    const [driver, other] = [stage.actor(), stage.actor()];
    const death = crash(driver, call);
    void callOn(driver, "parent");
    await stage.pulse.pass(100);
    expect(death.at).toBeDefined();
    other.startWorker();
    const id = stage.deployment.of("parent")[0]!.start.debugId as InvocationId;
    const end = await stage.pulse.within(3 * LEASE_MS, attach(other.engine, id));
    expect(end.kind === "ended" && textOf(end)).toBe("done");
    await stage.pulse.pass(100);
    expect([stage.deployment.of("a").length, stage.deployment.of("b").length]).toEqual([1, 1]);
  },
);

test("of two drivers one writes the next segment, and the other discards its attempt", async () => {
  const [gate, thaw] = [new Gate(), new Gate()];
  let closures = 0;
  const stage = await open({
    once: async (ctx) =>
      await ctx.get(
        ctx.run("count", async () => {
          const mine = ++closures;
          if (mine === 1) await gate.passed;
          return `closure ${mine}`;
        }),
      ),
  });
  const [frozen, other] = [stage.actor(), stage.actor()];
  const result = callOn(frozen, "once");
  await stage.pulse.pass(100);
  frozen.process.before = () => thaw.passed;
  other.startWorker();
  await stage.pulse.pass(LEASE_MS + 1_000);
  expect(closures).toBe(2);
  gate.open();
  await stage.pulse.settle();
  thaw.open();
  expect(textOf(await stage.pulse.within(5_000, result))).toBe("closure 2");
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  const view = await inspect(other.engine, id);
  expect(view!.entries.map(({ type }) => type)).toEqual([
    "Command: Input",
    "Command: Run",
    "Notification: Run",
    "Command: Output",
  ]);
});

test("a fenced driver stops: its lease is not renewed and its exchange is aborted", async () => {
  const [gate, thaw] = [new Gate(), new Gate()];
  const stage = await open({
    slow: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  const [frozen, other] = [stage.actor(), stage.actor()];
  void callOn(frozen, "slow");
  await stage.pulse.pass(100);
  frozen.process.before = () => thaw.passed;
  other.startWorker();
  await stage.pulse.pass(LEASE_MS + 1_000);
  thaw.open();
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.attempts.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(frozen.engine.activeInvocations.size).toBe(0);
});

test("an attempt longer than its lease is not taken over: the lease is renewed", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      await gate.passed;
      return "done";
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  driver.startWorker();
  other.startWorker();
  await sendOn(driver, "slow");
  await stage.pulse.pass(10 * LEASE_MS);
  gate.open();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts).toHaveLength(1);
});
