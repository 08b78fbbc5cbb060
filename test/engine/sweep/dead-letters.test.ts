/** Dead letters: a sweeper drives the invocation, pauses it with the reason, or leaves it, also after an earlier sweeper died. */
import { expect, test } from "vitest";
import { drainDeadLetters } from "../../../shared/engine/sweep/dead-letters.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { sendOn, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

const isSegment = ({ port, method, args }: PortCall) =>
  port === "table" && method === "put" && /^seg#.+#/.test((args[0] as { sk: string }).sk);

/** Sends to a handler and moves the message into a separate dead-letter queue. */
async function deadLetter(stage: Stage, letters: Stage, sender: Actor, handler: string) {
  const { invocationId } = await stage.pulse.within(0, sendOn(sender, handler));
  for (const { receipt, wake } of await stage.pulse.within(0, stage.stores.queue.receive(10, 1_000, 0))) {
    await stage.stores.queue.ack(receipt);
    await letters.stores.queue.send(wake);
  }
  return invocationId;
}

const drain = (stage: Stage, letters: Stage, { engine }: Actor) =>
  stage.pulse.within(60_000, drainDeadLetters(engine, letters.stores.queue, engine.clock.nowMs() + 60_000));

test("the sweeper drives the invocation of a dead letter alone, and then removes the letter", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 1, paused: 0 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "completed" });
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 0 });
});

test("an invocation that cannot be driven even alone is paused, with the reason", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  sweeper.process.before = (call) => (isSegment(call) ? Promise.reject(new Error("the item is cursed")) : undefined);
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 1 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({
    status: "paused",
    lastFailure: { message: expect.stringContaining("the item is cursed") },
  });
});

test("a letter whose invocation can be neither driven nor paused stays, and the pass after the repair drives it", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  const isLoad = ({ method, args }: PortCall) => method === "query" && args[0] === `inv#${id}`;
  sweeper.process.before = (call) => (isLoad(call) ? Promise.reject(new Error("it cannot be read")) : undefined);
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 0, left: 1 });
  expect(sweeper.log.lines.at(-1)).toMatchObject({ level: "error", fields: { invocationId: id } });
  sweeper.process.before = () => undefined;
  // The next pass drives the invocation at once: the failed try did not end its process.
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 1, paused: 0 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "completed" });
});

test("the dead letter of a completed invocation stays until the final effects of the invocation are performed", async () => {
  const stage = await open({
    work: (ctx) => {
      ctx.send("other");
      return "done";
    },
    other: () => "done too",
  });
  const letters = await open({});
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  const isOther = ({ method, args }: PortCall) => method === "put" && (args[0] as { pk: string }).pk !== `inv#${id}`;
  const isChild = (call: PortCall) => isOther(call) && (call.args[0] as { sk: string }).sk === "seg#000000";
  sweeper.process.before = (call) => (isChild(call) ? Promise.reject(new Error("no room for it")) : undefined);
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 0, left: 1 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "completed" });
  expect(sweeper.log.lines.at(-1)?.fields["error"]).toMatch(/it has ended.*no room for it/);
  sweeper.process.before = () => undefined;
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 1, paused: 0 });
  const [message] = await stage.pulse.within(0, stage.stores.queue.receive(10, 1_000, 0));
  expect(message?.wake.invocationId).not.toBe(id);
  expect(await inspect(sweeper.engine, message!.wake.invocationId)).toMatchObject({ status: "ready" });
});

test("while a throttled table refuses each drive of a dead letter, the letter stays for hours, and nothing is paused", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  sweeper.process.before = (call) => (isSegment(call) ? Promise.reject(new StoreError("throttled")) : undefined);
  for (let pass = 0; pass < 35; pass++) {
    expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 0, left: 1 });
    await stage.pulse.pass(300_000);
    await letters.pulse.pass(300_000);
  }
  expect(await inspect(sweeper.engine, id)).not.toMatchObject({ status: "paused" });
  sweeper.process.before = () => undefined;
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 1, paused: 0 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "completed" });
});

test("a missing permission pauses the invocation of a dead letter, because waiting does not help", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  const denied = new StoreError("denied", { lasts: true });
  sweeper.process.before = (call) => (isSegment(call) ? Promise.reject(denied) : undefined);
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 1 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "paused" });
});

test("after the store has failed for three hours, the invocation of a dead letter is paused", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  sweeper.process.before = (call) => (isSegment(call) ? Promise.reject(new StoreError("unreadable")) : undefined);
  let paused = 0;
  for (let pass = 0; pass < 40; pass++) {
    paused += (await drain(stage, letters, sweeper)).paused;
    await stage.pulse.pass(300_000);
    await letters.pulse.pass(300_000);
  }
  expect(paused).toBe(1);
  expect(await inspect(sweeper.engine, id)).toMatchObject({
    status: "paused",
    lastFailure: { message: expect.stringContaining("unreadable") },
  });
});

test.each(["scheduled", "running"])(
  "an invocation that ends every process that reads it (%s) is paused without a read, and goes on when it can be read",
  async (kind) => {
    const [stage, letters] = [await open({ work: () => "done" }), await open({})];
    const id = await deadLetter(stage, letters, stage.actor(), "work");
    if (kind === "running") {
      const driver = stage.actor();
      const stopped = new Gate();
      stage.deployment.instead = () => (driver.die(), stopped.open(), undefined);
      void consumeWake(driver.engine, { invocationId: id, sentAtMs: stage.pulse.nowMs(), delayMs: 0 });
      await stopped.passed;
      stage.deployment.instead = undefined;
    }
    for (let pass = 0; pass < 2; pass++) {
      const victim = stage.actor();
      victim.process.before = ({ port, method, args }) => {
        if (port !== "table" || method !== "query" || args[0] !== `inv#${id}`) return undefined;
        victim.die();
        return new Promise(() => undefined);
      };
      void drainDeadLetters(victim.engine, letters.stores.queue, stage.pulse.nowMs() + 60_000);
      await stage.pulse.pass(1_000_000);
      await letters.pulse.pass(1_000_000);
    }
    const sound = stage.actor();
    expect(await inspect(sound.engine, id)).toMatchObject({
      status: "paused",
      lastFailure: { message: expect.stringContaining("ended before its time") },
    });
    expect(await drain(stage, letters, sound)).toEqual({ driven: 0, paused: 0 });
    sound.startWorker();
    expect(await stage.pulse.within(1_000, resume(sound.engine, id, { kind: "keep" }))).toBe("done");
    await stage.pulse.pass(20_000);
    expect(await inspect(sound.engine, id)).toMatchObject({ status: "completed" });
  },
);

test("if the try of a dead letter ended the sweeper's process, the letter is not tried again", async () => {
  const gate = new Gate();
  const [stage, letters] = [await open({ deadly: () => gate.passed.then(() => "") }), await open({})];
  const victim = stage.actor();
  const id = await deadLetter(stage, letters, victim, "deadly");
  const until = victim.engine.clock.nowMs() + 60_000;
  void drainDeadLetters(victim.engine, letters.stores.queue, until);
  await stage.pulse.pass(100);
  victim.die();
  await stage.pulse.pass(20_000);
  await letters.pulse.pass(900_000);

  const next = stage.actor();
  expect(await drain(stage, letters, next)).toEqual({ driven: 0, paused: 1 });
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(await inspect(next.engine, id)).toMatchObject({ status: "paused" });
});

test("sweepers in successive processes look at each acceptance once", async () => {
  const [stage, letters] = [await open({ work: () => "done" }, { listingAgeMinMs: 1_000 }), await open({})];
  const sweeper = stage.actor();
  await deadLetter(stage, letters, sweeper, "work");
  expect(await stage.pulse.within(0, sweepOnce(sweeper.engine))).toMatchObject({ woken: 0 });
  await stage.pulse.pass(1_001);
  expect(await stage.pulse.within(0, sweepOnce(stage.actor().engine))).toMatchObject({ woken: 1 });
  expect(await stage.pulse.within(0, sweepOnce(stage.actor().engine))).toMatchObject({ woken: 0 });
});

test("if throttling prevents the removal of the record of a failed try, the next pass still drives the invocation", async () => {
  const [stage, letters] = [await open({ work: () => "done" }), await open({})];
  const sweeper = stage.actor();
  const id = await deadLetter(stage, letters, sweeper, "work");
  const isThrottled = (call: PortCall) =>
    isSegment(call) || (call.method === "delete" && (call.args[0] as { sk: string }).sk === `tried#${id}`);
  sweeper.process.before = (call) => (isThrottled(call) ? Promise.reject(new StoreError("throttled")) : undefined);
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 0, paused: 0, left: 1 });
  await stage.pulse.pass(300_000);
  await letters.pulse.pass(300_000);
  sweeper.process.before = () => undefined;
  expect(await drain(stage, letters, sweeper)).toEqual({ driven: 1, paused: 0 });
  expect(await inspect(sweeper.engine, id)).toMatchObject({ status: "completed" });
});
