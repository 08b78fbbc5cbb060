/** The sole owner of a store drives a send at once, in a slot of its worker. If no slot is free, the send goes to the queue. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const WAIT_MS = 4;
/** A worker of the stage has a hundred slots, and gives half of them to one service. */
const SHARE = 50;

async function ownerOf(stage: Stage): Promise<Actor> {
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.settle();
  return actor;
}

test("a send to a quick handler takes one write and no message", async () => {
  const stage = await open({ greet: (ctx) => `Hello ${ctx.input}` }, { acceptanceWaitMs: WAIT_MS });
  const actor = await ownerOf(stage);
  const { invocationId } = await stage.pulse.within(0, sendOn(actor, "greet", "you"));
  await stage.pulse.pass(100);
  expect(actor.process.methods("table").filter((method) => method !== "query")).toEqual(["transact"]);
  expect(actor.process.methods("queue")).toEqual(["receive"]);
  expect(await attach(actor.engine, invocationId)).toMatchObject({ kind: "ended", result: { kind: "success" } });
});

test("a send to a slow handler is answered before its end, and survives the process", async () => {
  const gate = new Gate();
  const stage = await open({ slow: async () => gate.passed.then(() => "done") }, { acceptanceWaitMs: WAIT_MS });
  const actor = await ownerOf(stage);
  const { invocationId } = await stage.pulse.within(20, sendOn(actor, "slow"));
  await stage.reboot();
  const next = await ownerOf(stage);
  gate.open();
  await stage.pulse.pass(60_000);
  expect(await attach(next.engine, invocationId)).toMatchObject({ kind: "ended", result: { kind: "success" } });
});

test("sends share the slots of the worker with messages, and none is lost where no slot is free", async () => {
  const gate = new Gate();
  const stage = await open({ slow: async () => gate.passed.then(() => "done") }, { acceptanceWaitMs: WAIT_MS });
  const actor = await ownerOf(stage);
  const sent = Array.from({ length: 2 * SHARE }, () => sendOn(actor, "slow"));
  await stage.pulse.within(1_000, Promise.all(sent));
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts).toHaveLength(SHARE);
  gate.open();
  await stage.pulse.pass(5_000);
  for (const { invocationId } of await Promise.all(sent))
    expect(await attach(actor.engine, invocationId)).toMatchObject({ kind: "ended", result: { kind: "success" } });
});

test("without a worker in the process, a send goes to the queue", async () => {
  const stage = await open({ greet: () => "hello" }, { acceptanceWaitMs: WAIT_MS });
  const actor = stage.actor({ soleOwner: true });
  await stage.pulse.within(0, sendOn(actor, "greet"));
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts).toEqual([]);
  expect(actor.process.methods("queue")).toEqual(["send"]);
});
