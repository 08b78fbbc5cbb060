/** Invocations whose input, journal or arrivals are too large for one item. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { PIECES } from "../../../shared/engine/store/item-keys.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { readPartition } from "../../../shared/engine/store/read-partition.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, callOn, LEASE_MS, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const openStage = stages();
const open: typeof openStage = (handlers, settings) =>
  openStage(handlers, { messageSizeMaxBytes: 1 << 25, ...settings });
const HOUR_MS = 3_600_000;
const long = (letter: string) => letter.repeat(1_000_000);
const value = (text: string) => ({ kind: "success" as const, value: new TextEncoder().encode(text) });
const idIn = (stage: Stage, handler: string) => stage.deployment.of(handler)[0]!.start.debugId as InvocationId;

async function piecesOf({ stores }: Stage, id: InvocationId): Promise<number> {
  return (await readPartition(stores.table, `inv#${id}`, PIECES)).length;
}

async function ended({ pulse }: Stage, { engine }: Actor, id: InvocationId): Promise<string> {
  const end = await pulse.within(60_000, attach(engine, id));
  if (end.kind !== "ended") throw new Error(`it is ${end.kind}`);
  return textOf(end);
}

test("if a driver dies after the write of the pieces and before their segment, the next driver repeats the attempt", async () => {
  let ran = 0;
  const stage = await open({
    grows: async (ctx) => await ctx.get(ctx.run("step", () => `${++ran} ${long("a")}`)),
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  driver.process.before = ({ port, method, args: [item] }) => {
    if (port !== "table" || method !== "put" || !/^seg#.*#000001$/.test((item as Item).sk)) return undefined;
    driver.die();
    return Promise.resolve();
  };
  void callOn(driver, "grows");
  await stage.pulse.pass(100);
  const id = idIn(stage, "grows");
  expect(await piecesOf(stage, id)).toBe(4);
  other.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  // The pieces of the dead driver stay stored, and no segment names them.
  expect(await ended(stage, other, id)).toBe(`2 ${long("a")}`);
  expect(await piecesOf(stage, id)).toBe(12);
});

test("each attempt gets a large input, and a call with a repeated key gets the large result", async () => {
  const stage = await open({ sized: async (ctx) => `${await ctx.get(ctx.run("step", () => "ran"))} ${ctx.input}` });
  const [first, second] = [stage.actor(), stage.actor()];
  const key = { idempotencyKey: "k" };
  const wanted = `ran ${long("b")}`;
  expect(textOf(await stage.pulse.within(1_000, callOn(first, "sized", long("b"), key)))).toBe(wanted);
  expect(textOf(await stage.pulse.within(1_000, callOn(second, "sized", "other", key)))).toBe(wanted);
  expect(stage.deployment.attempts.length).toBe(2);
});

test("a large result of a child reaches its parked caller, and an attach to the caller", async () => {
  const stage = await open({
    parent: async (ctx) => await ctx.get(ctx.call("child")),
    child: async (ctx) => {
      await ctx.get(ctx.sleep(HOUR_MS));
      return long("c");
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent");
  await stage.pulse.pass(2 * HOUR_MS);
  expect(await ended(stage, actor, invocationId)).toBe(long("c"));
});

test.each(["before", "after"])(
  "a large completion of an awakeable reaches the handler %s its invocation parks",
  async (moment) => {
    let awakeable = "";
    const stage = await open({
      hears: async (ctx) => {
        const { id, result } = ctx.awakeable();
        awakeable = id;
        return await ctx.get(result);
      },
    });
    const [driver, teller] = [stage.actor(), stage.actor()];
    // Delivers before the park is written, so that the read after the park finds the arrival (I4).
    if (moment === "before") {
      driver.process.before = ({ port, method, args: [item] }) => {
        if (port !== "table" || method !== "put" || (item as Item)["status"] !== "suspended") return undefined;
        driver.process.before = undefined;
        return completeAwakeable(teller.engine, awakeable, value(long("d")));
      };
    }
    driver.startWorker();
    const { invocationId } = await sendOn(driver, "hears");
    await stage.pulse.pass(1_000);
    if (moment === "after") await stage.pulse.during(completeAwakeable(teller.engine, awakeable, value(long("d"))));
    expect(await ended(stage, driver, invocationId)).toBe(long("d"));
  },
);

test("a large invocation is cancelled like any other", async () => {
  const stage = await open({ hears: async (ctx) => await ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "hears", long("e"));
  await stage.pulse.pass(1_000);
  await stage.pulse.during(cancel(actor.engine, invocationId));
  expect(await ended(stage, actor, invocationId)).toMatch(/^409 /);
});

test("pieces are kept until the retention of their invocation is over", async () => {
  let awakeable = "";
  const stage = await open({
    hears: async (ctx) => {
      await ctx.get(ctx.run("large", () => long("f")));
      const { id, result } = ctx.awakeable();
      awakeable = id;
      return `${ctx.input.length} ${await ctx.get(result)}`;
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "hears", long("g"));
  const pass = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 6) {
      await stage.pulse.pass(6 * HOUR_MS);
      await stage.pulse.during(sweep(actor.engine, stage.pulse.nowMs()));
      await stage.pulse.during((stage.stores.table as EmbeddedTable).sweepExpired(stage.pulse.nowMs() / 1000, 1_000));
    }
  };
  await pass(24 * 6);
  await stage.pulse.during(completeAwakeable(actor.engine, awakeable, value("heard")));
  expect(await ended(stage, actor, invocationId)).toBe("1000000 heard");
  expect(await piecesOf(stage, invocationId)).toBe(8);
  await stage.pulse.within(LEASE_MS, actor.stopWorker());
  // The sweeper has set the expiry of the open invocation's items to a month ahead, plus the retention.
  await pass(24 * 32);
  expect(await readPartition(stage.stores.table, `inv#${invocationId}`, {})).toEqual([]);
});

test("an attempt may fail with a message of a million letters", async () => {
  const stage = await open({
    fails: () => {
      throw new Error(long("h"));
    },
  });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "fails");
  await stage.pulse.pass(10_000);
  expect(stage.deployment.attempts.length).toBeGreaterThan(2);
  expect(actor.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});
