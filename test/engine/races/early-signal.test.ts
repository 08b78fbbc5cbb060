/** The first attempt overlaps the put of the acceptance, so its handler can publish an id that is not in the table yet. */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { invocationIdBytes, type InvocationId } from "../../../shared/core/model/ids.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { type Actor, callOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const DAY_MS = 86_400_000;
const LATE = { kind: "success", value: new TextEncoder().encode("late") } as const;
const DONE = { kind: "success", value: new TextEncoder().encode("early") } as const;

/** Makes a call and delays the put of its acceptance; the handler publishes an awakeable meanwhile. */
async function heldUp(soleOwner: boolean) {
  const stage = await open({ waits: async (ctx) => `got ${await ctx.get(ctx.awakeable().result)}` });
  const [driver, other] = [stage.actor({ soleOwner }), stage.actor({ soleOwner })];
  const gate = new Gate();
  let first = true;
  driver.process.before = ({ port, method }) => {
    if (!first || port !== "table" || method !== "put") return undefined;
    first = false;
    return gate.passed;
  };
  driver.startWorker();
  const result = callOn(driver, "waits");
  await stage.pulse.settle();
  const { id, debugId } = stage.deployment.attempts[0]!.start;
  const awakeable = encodeAwakeableId(id, 17);
  return { stage, driver, other, gate, result, awakeable, invocationId: debugId as InvocationId };
}

test("an awakeable that is resolved before the acceptance is durable is not lost", async () => {
  const { stage, driver, gate, result, awakeable } = await heldUp(true);
  const resolved = completeAwakeable(driver.engine, awakeable, DONE);
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.within(1_000, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("an awakeable that another process resolves while the acceptance is being written is not lost", async () => {
  const { stage, other, gate, result, awakeable } = await heldUp(false);
  const resolved = completeAwakeable(other.engine, awakeable, DONE);
  await stage.pulse.pass(50);
  gate.open();
  await stage.pulse.within(1_000, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test.each([800, 15_000])(
  "an awakeable that another process resolves %i ms before the acceptance is durable is not lost",
  async (ms) => {
    const { stage, other, gate, result, awakeable } = await heldUp(false);
    await stage.pulse.within(1_000, completeAwakeable(other.engine, awakeable, DONE));
    await stage.pulse.pass(ms);
    gate.open();
    expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
  },
);

test("an early arrival that is written only after the invocation parked is not lost", async () => {
  const { stage, other, gate, result, awakeable } = await heldUp(false);
  const writing = new Gate();
  other.process.before = ({ method }) => (method === "put" ? writing.passed : undefined);
  const resolved = completeAwakeable(other.engine, awakeable, DONE);
  await stage.pulse.pass(1_000);
  gate.open();
  await stage.pulse.pass(1_000);
  writing.open();
  await stage.pulse.within(0, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("of two early values the first counts, and a later value does not replace it", async () => {
  const { stage, driver, other, gate, result, awakeable } = await heldUp(false);
  await stage.pulse.within(1_000, completeAwakeable(other.engine, awakeable, DONE));
  await stage.pulse.within(1_000, completeAwakeable(other.engine, awakeable, LATE));
  gate.open();
  await stage.pulse.within(1_000, completeAwakeable(driver.engine, awakeable, LATE));
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("an early value is kept while its invocation is open, and a replay some days after its first use reads the value again", async () => {
  const days = 6;
  const stage = await open({
    waits: async (ctx) => {
      const { result } = ctx.awakeable();
      await ctx.get(ctx.sleep(Number(ctx.input)));
      const heard = await ctx.get(result);
      await ctx.get(ctx.sleep(Number(ctx.input) + days * DAY_MS));
      return `got ${heard}`;
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  const gate = new Gate();
  driver.process.before = ({ method }) => (method === "put" ? gate.passed : undefined);
  void callOn(driver, "waits", String(stage.pulse.nowMs() + days * DAY_MS));
  await stage.pulse.settle();
  const { id, debugId } = stage.deployment.attempts[0]!.start;
  await stage.pulse.within(1_000, completeAwakeable(other.engine, encodeAwakeableId(id, 17), DONE));
  gate.open();
  await stage.pulse.pass(1_000);
  driver.die();
  await daysPass(stage, other, days);
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(1_000);
  await worker.stopWorker();
  await daysPass(stage, other, days);
  stage.actor().startWorker();
  const end = await stage.pulse.within(5_000, attach(other.engine, debugId as InvocationId));
  expect(end.kind === "ended" && textOf(end)).toBe("got early");
});

/** Lets days pass. Meanwhile a sweeper extends the time to live of open invocations, and the table deletes expired items. */
async function daysPass({ pulse, stores }: Stage, sweeper: Actor, days: number): Promise<void> {
  for (let half = 0; half < 2 * days; half++) {
    await pulse.pass(DAY_MS / 2);
    await pulse.during(sweep(sweeper.engine, pulse.nowMs()));
    await pulse.during((stores.table as EmbeddedTable).sweepExpired(pulse.nowMs() / 1000, 100));
  }
}

test("a value for an unknown id does not reach the invocation that later gets this id from its idempotency key", async () => {
  const stage = await open({ waits: async (ctx) => `got ${await ctx.get(ctx.awakeable().result)}` });
  const actor = stage.actor();
  actor.startWorker();
  const id = idempotentId(actor.engine, { service: "S", handler: "waits" }, "k");
  const awakeable = encodeAwakeableId(invocationIdBytes(id), 17);
  await stage.pulse.within(1_000, completeAwakeable(actor.engine, awakeable, DONE));
  const result = callOn(actor, "waits", "", { idempotencyKey: "k" });
  await stage.pulse.pass(60_000);
  await completeAwakeable(actor.engine, awakeable, LATE);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got late");
});

test("an attach by an id that was published early waits for the end of the invocation", async () => {
  const { stage, driver, gate, result, awakeable, invocationId } = await heldUp(true);
  const attached = attach(driver.engine, invocationId);
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.settle();
  await completeAwakeable(driver.engine, awakeable, DONE);
  await stage.pulse.within(1_000, result);
  const end = await stage.pulse.within(3_000, attached);
  expect(end.kind === "ended" && textOf(end)).toBe("got early");
});
