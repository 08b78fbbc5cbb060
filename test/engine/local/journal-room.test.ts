/** Only a few journals above a size are in memory at a time, and small ones never wait for them. */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import type { Codec } from "../../../shared/engine/ports/codec.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { type Actor, callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { synchronousCodec } from "../../harness/engine/synchronous-codec.ts";

const open = stages();
const MIB = 1024 * 1024;
const LARGE = 5;
const INPUT = "x".repeat(9 * MIB);

/** @returns an actor with a budget below the nine MiB of one journal: one such journal may go beyond its share, a second waits */
function narrow(stage: Stage): Actor {
  const actor = stage.actor();
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, { journalsMaxBytes: MIB }));
  actor.startWorker();
  return actor;
}

test("while the handler of a large invocation does not answer, no other large one is in memory, and small ones run", async () => {
  const gate = new Gate();
  const stage = await open(
    { large: async () => gate.passed.then(() => "done"), small: () => "done" },
    { messageSizeMaxBytes: 32 * MIB },
  );
  const actor = narrow(stage);
  const ids = [];
  for (let n = 0; n < LARGE; n++)
    ids.push((await stage.pulse.within(1_000, sendOn(actor, "large", INPUT))).invocationId);
  await stage.pulse.pass(20_000);
  expect(stage.deployment.of("large")).toHaveLength(1);
  expect(actor.engine.bulkheads.journals.held).toBeLessThan(2 * INPUT.length);
  await stage.pulse.within(1_000, sendOn(actor, "small"));
  await stage.pulse.pass(100);
  expect(stage.deployment.of("small")).toHaveLength(1);
  gate.open();
  await stage.pulse.pass(60_000);
  for (const id of ids) expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
  expect(stage.deployment.of("large").length).toBe(LARGE);
  expect(actor.engine.bulkheads.journals.held).toBe(0);
});

/** @returns an actor whose budget has room for a journal of 1.5 MiB within a lane's share, and for a second beyond the share */
function counting(stage: Stage): Actor {
  const actor = stage.actor();
  const limits = { journalsMaxBytes: 3 * MIB, journalsCountedFromBytes: 64 * 1024 };
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, limits));
  actor.startWorker();
  return actor;
}

const MEDIUM = "x".repeat(1.5 * MIB);

test("of many inputs of a MiB and a half, two are in memory at a time, small inputs do not wait, and all are handled", async () => {
  const gate = new Gate();
  const stage = await open({ medium: async () => gate.passed.then(() => "done"), small: () => "done" });
  const actor = counting(stage);
  const ids = [];
  for (let n = 0; n < LARGE; n++)
    ids.push((await stage.pulse.within(1_000, sendOn(actor, "medium", MEDIUM))).invocationId);
  await stage.pulse.pass(20_000);
  expect(stage.deployment.of("medium")).toHaveLength(2);
  expect(actor.engine.bulkheads.journalSizes.size).toBe(LARGE - 2);
  await stage.pulse.within(1_000, sendOn(actor, "small"));
  await stage.pulse.pass(100);
  expect(stage.deployment.of("small")).toHaveLength(1);
  gate.open();
  await stage.pulse.pass(60_000);
  for (const id of ids) expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
  const { journals, journalSizes } = actor.engine.bulkheads;
  expect([journals.held, journalSizes.size]).toEqual([0, 0]);
});

test("a call whose journal outgrows the room goes through the queue, and is answered when there is room", async () => {
  const gate = new Gate();
  const stage = await open(
    {
      medium: async () => gate.passed.then(() => "done"),
      grows: async (ctx) => {
        await ctx.get(ctx.run("one", () => MEDIUM));
        return "grown";
      },
    },
    { messageSizeMaxBytes: 32 * MIB },
  );
  const actor = counting(stage);
  for (let n = 0; n < 2; n++) await stage.pulse.within(1_000, sendOn(actor, "medium", MEDIUM));
  await stage.pulse.pass(1_000);
  const call = callOn(actor, "grows");
  await stage.pulse.pass(20_000);
  const before = stage.deployment.of("grows").length;
  gate.open();
  expect(textOf(await stage.pulse.within(60_000, call))).toBe("grown");
  expect([before, stage.deployment.of("grows").length > before]).toEqual([1, true]);
  await stage.pulse.pass(1_000);
  expect(actor.engine.bulkheads.journals.held).toBe(0);
});

test("an invocation completes even if its input is small when packed and large when unpacked", async () => {
  const stage = await open({ large: () => "done" }, { messageSizeMaxBytes: 32 * MIB });
  const actor = stage.actor();
  Object.assign(actor.engine, { codec: synchronousCodec });
  actor.startWorker();
  const answer = await stage.pulse.within(500, callOn(actor, "large", "words that repeat ".repeat(2 * MIB)));
  expect(textOf(answer)).toBe("done");
});

test("an invocation that is small when packed takes room for its unpacked size", async () => {
  const gate = new Gate();
  const stage = await open({ large: async () => gate.passed.then(() => "done") }, { messageSizeMaxBytes: 32 * MIB });
  const actor = stage.actor();
  Object.assign(actor.engine, { codec: synchronousCodec });
  actor.startWorker();
  await stage.pulse.within(1_000, sendOn(actor, "large", INPUT));
  await stage.pulse.pass(2_000);
  expect(actor.engine.bulkheads.journals.held).toBeGreaterThanOrEqual(INPUT.length);
  gate.open();
  await stage.pulse.pass(2_000);
  expect(actor.engine.bulkheads.journals.held).toBe(0);
});

/**
 * Delivers a result to an invocation during its first attempt.
 * @returns the bytes that journals hold in the first attempt, in the second one, and after the end
 */
async function heldBeside(value: Uint8Array, codec: Codec | undefined, input = "") {
  const [suspending, ending] = [new Gate(), new Gate()];
  const stage = await open(
    {
      waits: async (ctx) => {
        const { result } = ctx.awakeable();
        if (stage.deployment.attempts.length === 1) await suspending.passed;
        const { length } = await ctx.get(result);
        await ending.passed;
        return String(length);
      },
    },
    { messageSizeMaxBytes: 32 * MIB },
  );
  const actor = stage.actor();
  Object.assign(actor.engine, { codec });
  actor.startWorker();
  const { invocationId } = await stage.pulse.within(1_000, sendOn(actor, "waits", input));
  await stage.pulse.settle();
  const { journals } = actor.engine.bulkheads;
  const { held: before } = journals;
  const awakeable = encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17);
  await stage.pulse.within(1_000, completeAwakeable(actor.engine, awakeable, { kind: "success", value }));
  suspending.open();
  await stage.pulse.pass(100);
  expect(stage.deployment.attempts).toHaveLength(2);
  const { held: meanwhile } = journals;
  ending.open();
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
  return { before, meanwhile, afterwards: journals.held };
}

test.each([
  ["packed", synchronousCodec],
  ["in pieces", undefined],
])("a large arrival that a driver reads beside a small journal takes room: %s", async (_, codec) => {
  const { before, meanwhile, afterwards } = await heldBeside(new TextEncoder().encode(INPUT), codec);
  expect(meanwhile).toBeGreaterThanOrEqual(INPUT.length);
  expect(meanwhile).toBeLessThan(2 * INPUT.length);
  expect([before, afterwards]).toEqual([0, 0]);
});

test.each([
  ["a small journal", "", 0],
  ["a large journal", INPUT, INPUT.length],
])("a small arrival that a driver reads beside %s takes no room", async (_, input, journalBytes) => {
  const { before, meanwhile, afterwards } = await heldBeside(new Uint8Array(2 * MIB), synchronousCodec, input);
  expect(before).toBeGreaterThanOrEqual(journalBytes);
  expect([meanwhile, afterwards]).toEqual([before, 0]);
});

test("a large invocation is not in memory while it backs off", async () => {
  const retry = { initialIntervalMs: 500, maxIntervalMs: 500, factor: 1 };
  const stage = await open(
    {
      large: () => {
        throw new Error("not now");
      },
    },
    { retry, messageSizeMaxBytes: 32 * MIB },
  );
  const actor = narrow(stage);
  await stage.pulse.within(1_000, sendOn(actor, "large", INPUT));
  for (let n = 0; n < 10 && stage.deployment.attempts.length < 2; n++) await stage.pulse.pass(250);
  await stage.pulse.settle();
  expect(stage.deployment.attempts.length).toBeGreaterThanOrEqual(2);
  expect([actor.engine.activeInvocations.size, actor.engine.bulkheads.journals.held]).toEqual([0, 0]);
});

test("invocations that wait for room take no slot of the worker, so a small invocation is driven at once", async () => {
  const gate = new Gate();
  const stage = await open({ medium: async () => gate.passed.then(() => "done"), small: () => "done" });
  const actor = stage.actor();
  const limits = { journalsMaxBytes: 3 * MIB, journalsCountedFromBytes: 64 * 1024 };
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, limits));
  const ids = [];
  for (let n = 0; n < 2 * LARGE; n++)
    ids.push((await stage.pulse.within(1_000, sendOn(actor, "medium", MEDIUM))).invocationId);
  const stopping = new AbortController();
  const working = runWorker(actor.engine, stopping.signal, { concurrencyMax: 4, perService: 4, perDeployment: 4 });
  await stage.pulse.pass(100);
  await stage.pulse.within(1_000, sendOn(actor, "small"));
  await stage.pulse.pass(500);
  const driven = stage.deployment.of("small").length;
  gate.open();
  await stage.pulse.pass(60_000);
  expect(driven).toBe(1);
  for (const id of ids) expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
  expect(actor.engine.bulkheads.journals.held).toBe(0);
  stopping.abort();
  await stage.pulse.within(30_000, working);
});
