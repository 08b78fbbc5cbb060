/** If a process owns its store alone, the acceptance of a call waits a moment for the first segment of the call. */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { callOn, LEASE_MS, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const acceptanceWaitMs = 4;

test("a call that is answered at once takes one write, and needs no message", async () => {
  const stage = await open({ greet: (ctx) => `Hello ${ctx.input}` }, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(0, callOn(actor, "greet", "you")))).toBe("Hello you");
  await stage.pulse.pass(10 * acceptanceWaitMs);
  expect(actor.process.methods("table")).toEqual(["transact"]);
  expect(actor.process.methods("queue")).toEqual([]);
});

test("a call of a slower handler is accepted before its end, and its message is recalled at its end", async () => {
  const gate = new Gate();
  const stage = await open({ slow: async () => gate.passed.then(() => "done") }, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  const ended = callOn(actor, "slow");
  await stage.pulse.pass(2 * acceptanceWaitMs);
  expect(actor.process.methods("table")).toEqual(["put"]);
  expect(actor.process.methods("queue")).toEqual(["send"]);
  gate.open();
  expect(textOf(await ended)).toBe("done");
  await stage.pulse.settle();
  expect(actor.process.methods("table")).toEqual(["put", "put"]);
  expect(actor.process.methods("queue")).toEqual(["send", "recall"]);
});

test("a message is sent if the first segment leaves work to do", async () => {
  const stage = await open({ step: async (ctx) => await ctx.get(ctx.run("one", () => "1")) }, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(0, callOn(actor, "step")))).toBe("1");
  expect(actor.process.methods("table")).toEqual(["transact", "put"]);
  expect(actor.process.methods("queue")).toEqual(["send", "recall"]);
});

test("a process that dies before it writes the acceptance and the first segment together has accepted nothing", async () => {
  const gate = new Gate();
  const stage = await open({ greet: async () => gate.passed.then(() => "hello") }, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  void callOn(actor, "greet");
  await stage.pulse.settle();
  expect(actor.process.methods("table")).toEqual([]);
  await stage.reboot();
  const successor = stage.actor({ soleOwner: true });
  successor.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  await successor.stopWorker();
});

test("acceptance and first segment are stored together or not at all", async () => {
  const stage = await open({ greet: () => "hello" }, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  const { journal } = stage.stores;
  const { writeGroup } = journal;
  journal.writeGroup = () => Promise.reject(new Error("no space"));
  await expect(callOn(actor, "greet")).rejects.toThrow();
  journal.writeGroup = writeGroup;
  await journal.whenUsable();
  const { entries } = await journal.entries({ gte: "i", lt: "j" }, 10);
  expect(entries).toEqual([]);
});

test("the failure of a first attempt is reported once the acceptance is durable", async () => {
  const handlers = {
    stumbles: () => {
      if (stage.deployment.attempts.length === 1) throw new Error("boom");
      return "well";
    },
  };
  const stage: Stage = await open(handlers, { acceptanceWaitMs });
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(1_000, callOn(actor, "stumbles")))).toBe("well");
  const puts = actor.process.calls.filter(({ method }) => method === "put").map(({ args }) => (args[0] as Item).sk);
  expect(puts.map((sk) => sk.slice(0, 4))).toEqual(["seg#", "try#", "seg#"]);
  expect(puts[0]).toBe("seg#000000");
});

test("a completion of an awakeable is not lost if it comes before the write of the acceptance begins", async () => {
  const stage = await open(
    { waits: async (ctx) => `got ${await ctx.get(ctx.awakeable().result)}` },
    { acceptanceWaitMs },
  );
  const actor = stage.actor({ soleOwner: true });
  const gate = new Gate();
  actor.process.before = ({ method }) => (method === "transact" ? gate.passed : undefined);
  actor.startWorker();
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  expect(actor.process.methods("table")).toEqual(["transact"]);
  const awakeable = encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17);
  const early = { kind: "success", value: new TextEncoder().encode("early") } as const;
  const resolved = completeAwakeable(actor.engine, awakeable, early);
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.within(1_000, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});
