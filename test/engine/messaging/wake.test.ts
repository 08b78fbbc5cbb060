/** Wakes: repeated, needless, lost, and put back (I8, I11). */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { ScriptContext } from "../../harness/engine/script-context.ts";
import type { ScriptedAttempt } from "../../harness/engine/scripted-deployment.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const CHECK_MS = 600_000;

const success = (text: string) => ({ kind: "success", value: new TextEncoder().encode(text) }) as const;
const awakeableOf = ({ start }: ScriptedAttempt) => encodeAwakeableId(start.id, 17);

/** A handler that awaits an awakeable, and then runs one step. */
function waiting(did: string[]) {
  return async (ctx: ScriptContext) => {
    const said = await ctx.get(ctx.awakeable().result);
    return await ctx.get(ctx.run("do", () => `${did.push(said)} ${said}`));
  };
}

test("a wake that arrives many times, at two workers, runs nothing twice", async () => {
  const did: string[] = [];
  const stage = await open({ wait: waiting(did) });
  const [a, b] = [stage.actor(), stage.actor()];
  a.startWorker();
  b.startWorker();
  const { invocationId } = await sendOn(a, "wait");
  await stage.pulse.pass(100);
  for (let i = 0; i < 5; i++) await sendWake(i % 2 === 0 ? a.engine : b.engine, { id: invocationId }, 0);
  await completeAwakeable(b.engine, awakeableOf(stage.deployment.attempts[0]!), success("go"));
  for (let i = 0; i < 5; i++) await sendWake(i % 2 === 0 ? a.engine : b.engine, { id: invocationId }, 0);
  await stage.pulse.pass(2 * LEASE_MS);
  expect(did).toEqual(["go"]);
  expect(stage.deployment.attempts).toHaveLength(3);
  expect(await inspect(a.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("a wake for a parked invocation without a fresh arrival runs nothing", async () => {
  const stage = await open({ wait: waiting([]) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "wait");
  await stage.pulse.pass(100);
  const writes = () =>
    actor.process.methods("table").filter((method) => method === "put" || method === "update").length;
  const before = writes();
  await sendWake(actor.engine, { id: invocationId }, 0);
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(writes()).toBe(before);
});

test("an arrival whose wake was lost is found by the sweeper at its next look", async () => {
  const did: string[] = [];
  const stage = await open({ wait: waiting(did) });
  const [worker, stranger] = [stage.actor(), stage.actor()];
  worker.startWorker();
  const { invocationId } = await sendOn(worker, "wait");
  await stage.pulse.pass(100);
  stranger.process.before = ({ method }) => {
    if (method === "send") stranger.die();
    return method === "send" ? new Promise(() => undefined) : undefined;
  };
  void completeAwakeable(stranger.engine, awakeableOf(stage.deployment.attempts[0]!), success("go"));
  await stage.pulse.pass(CHECK_MS - 1_000);
  expect(did).toEqual([]);
  expect((await sweep(worker.engine, stage.pulse.nowMs())).woken).toBe(0);
  await stage.pulse.pass(1_000);
  expect((await sweep(worker.engine, stage.pulse.nowMs())).woken).toBe(1);
  await stage.pulse.pass(100);
  expect(did).toEqual(["go"]);
  expect(await inspect(worker.engine, invocationId)).toMatchObject({ status: "completed" });
});

test("a send whose message was lost is found by the sweeper in the listing", async () => {
  const stage = await open({ greet: () => "done" });
  const [sender, worker] = [stage.actor(), stage.actor()];
  sender.process.before = ({ method }) => (method === "send" ? new Promise(() => undefined) : undefined);
  void sendOn(sender, "greet").catch(() => undefined);
  await stage.pulse.settle();
  sender.die();
  worker.startWorker();
  await stage.pulse.pass(600_000);
  expect(stage.deployment.attempts).toHaveLength(0);
  expect((await sweep(worker.engine, stage.pulse.nowMs() - 1_200_000)).woken).toBe(1);
  await stage.pulse.settle();
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a message that meets a live lease is put back, and the attempt goes on undisturbed", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      await gate.passed;
      return "done";
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  const result = callOn(driver, "slow");
  await stage.pulse.pass(100);
  other.startWorker();
  await sendWake(other.engine, { id: stage.deployment.attempts[0]!.start.debugId as never }, 0);
  await stage.pulse.pass(4 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(other.process.methods("queue")).toContain("send");
  expect(other.process.methods("queue")).toContain("ack");
  gate.open();
  expect(textOf(await stage.pulse.within(100, result))).toBe("done");
  await stage.pulse.pass(4 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  // No message circulates for a completed invocation.
  const before = other.process.methods("queue").filter((method) => method === "send").length;
  await stage.pulse.pass(10 * LEASE_MS);
  expect(other.process.methods("queue").filter((method) => method === "send")).toHaveLength(before);
});

test("if a message met a live driver and was put back, a worker takes over by this message after the driver has died", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async () => {
      if (stage.deployment.attempts.length === 1) await gate.passed;
      return "done";
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  other.startWorker();
  void callOn(driver, "slow");
  // The call's own message comes after one lease, and meets a driver that has renewed its lease.
  await stage.pulse.pass(1.5 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  driver.die();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(2);
});
