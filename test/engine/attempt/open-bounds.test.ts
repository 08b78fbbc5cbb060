/** Exchanges that stay open in a function, which shares its table, has little time, and is paid for while it waits (ADR 0008). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Actor, callOn, sendOn, type StageSettings, textOf } from "../../harness/engine/engine-fixture.ts";
import { callKeyed, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { awaitingOnFrame } from "../../harness/engine/script-suspension.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const IN_FUNCTION: StageSettings = { opensExchanges: true, openWaitMs: 0 };
const BEFORE_REPORTS: StageSettings = { ...IN_FUNCTION, protocol: { min: 5, max: 6, deprecatedBelow: 5 } };
const SECOND_MS = 1_000;

const awakeables: string[] = [];
/** Publishes an awakeable in a run, and awaits it. */
const waits: Handler = async (ctx) => {
  const { id, result } = ctx.awakeable();
  await ctx.get(ctx.run("publish", () => `${awakeables.push(id)}`));
  return await ctx.get(result);
};

async function driving(handlers: Record<string, Handler>, settings: StageSettings = IN_FUNCTION) {
  awakeables.length = 0;
  const stage = await open(handlers, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor };
}

async function sent(handlers: Record<string, Handler>, settings: StageSettings = IN_FUNCTION) {
  const { stage, actor } = await driving(handlers, settings);
  const { invocationId: id } = await sendOn(actor, Object.keys(handlers)[0]!);
  await stage.pulse.pass(100);
  return { stage, actor, id, attempt: stage.deployment.attempts[0]! };
}

const statusOf = async ({ engine }: Actor, id: InvocationId) => (await inspect(engine, id))?.status;

const resolution = { kind: "success" as const, value: Buffer.from("hello") };

/** The number of queries that read the arrivals of invocations. */
const looks = ({ process }: Actor): number =>
  process.calls.filter(({ method, args }) => method === "query" && JSON.stringify(args).includes('"arr#')).length;

test.each([
  ["report their awaits", IN_FUNCTION],
  ["do not report their awaits", BEFORE_REPORTS],
])("the runs of handlers that %s take one attempt", async (_, settings) => {
  const { stage, actor } = await driving(
    {
      runs: async (ctx) => {
        const results: string[] = [];
        for (let at = 1; at <= 5; at++) results.push(await ctx.get(ctx.run(`run ${at}`, () => `${at}`)));
        return results.join();
      },
    },
    settings,
  );
  expect(textOf(await stage.pulse.within(SECOND_MS, callOn(actor, "runs")))).toBe("1,2,3,4,5");
  expect(stage.deployment.attempts.map(({ isOpen, halfClosed }) => [isOpen, halfClosed])).toEqual([[true, true]]);
  expect(looks(actor)).toBe(0);
});

test.each([
  ["at once, if it reports the await", IN_FUNCTION, 100, 0],
  ["after half a second of silence, if it does not report the await", BEFORE_REPORTS, 600, 300],
])("a handler that only waits for something outside is suspended %s", async (_, settings, byMs, notByMs) => {
  const { stage, actor } = await driving({ waits }, settings);
  const { invocationId: id } = await sendOn(actor, "waits");
  await stage.pulse.pass(notByMs);
  if (notByMs > 0) expect(await statusOf(actor, id)).toBe("running");
  await stage.pulse.pass(byMs - notByMs);
  expect([stage.deployment.attempts[0]!.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  expect(actor.engine.activeInvocations.size).toBe(0);
  await stage.pulse.within(SECOND_MS, completeAwakeable(actor.engine, awakeables[0]!, resolution));
  const ended = await stage.pulse.within(SECOND_MS, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("hello");
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("the exchange of a handler that waits stays open for the time in the setting openWaitMs, and no longer", async () => {
  const { stage, actor, id, attempt } = await sent({ waits }, { ...IN_FUNCTION, openWaitMs: 5_000 });
  await stage.pulse.pass(4_800);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([false, "running"]);
  await stage.pulse.pass(200);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
});

test("an arrival within openWaitMs reaches the handler on its open exchange, even if another process wrote it", async () => {
  const { stage, actor, id, attempt } = await sent({ waits }, { ...IN_FUNCTION, openWaitMs: 5_000 });
  const other = stage.actor();
  await stage.pulse.within(SECOND_MS, completeAwakeable(other.engine, awakeables[0]!, resolution));
  const ended = await stage.pulse.within(2 * SECOND_MS, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("hello");
  expect([stage.deployment.attempts.length, attempt.isOpen]).toEqual([1, true]);
});

test.each([
  ["reports its awaits", IN_FUNCTION],
  ["does not report its awaits", BEFORE_REPORTS],
])("an exchange stays open while a run executes, if the handler %s", async (_, settings) => {
  const gate = new Gate();
  const { stage, actor, id, attempt } = await sent(
    {
      long: async (ctx) => {
        await ctx.get(ctx.run("first", () => "one"));
        await ctx.get(ctx.run("second", () => gate.passed.then(() => "two")));
        return await ctx.get(ctx.run("third", () => "three"));
      },
    },
    settings,
  );
  await stage.pulse.pass(30 * SECOND_MS);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([false, "running"]);
  gate.open();
  const ended = await stage.pulse.within(SECOND_MS, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("three");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("if the report of an await arrives after the result has been sent, the report does not end the exchange", async () => {
  const { stage, actor } = await driving({
    crosses: async (ctx) => {
      const first = ctx.run("first", () => "one");
      const value = await ctx.get(first);
      ctx.frames.push(awaitingOnFrame(first.tree));
      ctx.flush();
      await stage.pulse.sleep(300);
      return value + (await ctx.get(ctx.run("second", () => "two")));
    },
  });
  expect(textOf(await stage.pulse.within(SECOND_MS, callOn(actor, "crosses")))).toBe("onetwo");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a caller's exchange stays open while its driver drives the call along, and is half-closed once the call parks", async () => {
  const gate = new Gate();
  const { stage, actor, id, attempt } = await sent({
    caller: async (ctx) => await ctx.get(ctx.call("child")),
    child: async (ctx) => {
      const { result, id: awakeableId } = ctx.awakeable();
      awakeables.push(awakeableId);
      await ctx.get(ctx.run("slow", () => gate.passed.then(() => "done")));
      return await ctx.get(result);
    },
  });
  await stage.pulse.pass(10 * SECOND_MS);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([false, "running"]);
  gate.open();
  await stage.pulse.pass(500);
  expect([attempt.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  expect(actor.engine.activeInvocations.size).toBe(0);
  await stage.pulse.within(SECOND_MS, completeAwakeable(actor.engine, awakeables[0]!, resolution));
  const ended = await stage.pulse.within(2 * SECOND_MS, attach(actor.engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("hello");
});

test("a call that is driven along ends on the caller's open exchange", async () => {
  const { stage, actor } = await driving({
    caller: async (ctx) => await ctx.get(ctx.call("child", "a")),
    child: async (ctx) => await ctx.get(ctx.run("work", () => `child ${ctx.input}`)),
  });
  expect(textOf(await stage.pulse.within(SECOND_MS, callOn(actor, "caller")))).toBe("child a");
  expect([stage.deployment.of("caller").length, stage.deployment.of("child").length]).toEqual([1, 1]);
});

test.each([
  ["that outlasts the inactivity timeout", 3_600 * SECOND_MS],
  ["within the inactivity timeout", 30 * SECOND_MS],
])("a sleep %s is not waited for, and costs one segment and one attempt", async (_, sleepMs) => {
  const { stage, actor } = await driving({
    sleeps: async (ctx) => await ctx.get(ctx.sleep(stage.pulse.nowMs() + sleepMs)),
  });
  const { invocationId: id } = await sendOn(actor, "sleeps");
  await stage.pulse.pass(100);
  expect([stage.deployment.attempts[0]!.halfClosed, await statusOf(actor, id)]).toEqual([true, "suspended"]);
  const { items } = await stage.stores.table.query(`inv#${id}`, { from: "seg#", below: "seg$" });
  expect(items).toHaveLength(2);
});

test("reads of the shared table become rarer while a handler works, and a kill still reaches it", async () => {
  const gate = new Gate();
  const { stage, actor, attempt, id } = await sent({
    long: async (ctx) => await ctx.get(ctx.run("long", () => gate.passed.then(() => "late"))),
  });
  const before = looks(actor);
  await stage.pulse.pass(50 * SECOND_MS);
  expect(looks(actor) - before).toBeGreaterThan(5);
  expect(looks(actor) - before).toBeLessThan(15);
  await stage.pulse.within(SECOND_MS, kill(stage.actor().engine, id));
  await stage.pulse.pass(11 * SECOND_MS);
  expect([attempt.aborted, await statusOf(actor, id)]).toEqual([true, "completed"]);
});

test("an object in a function keeps its state over the segments of an open exchange", async () => {
  const add: Handler = async (ctx) => {
    const before = await ctx.get(ctx.completable("GetLazyState", { key: Buffer.from("sum") }));
    const sum = await ctx.get(ctx.run("add", () => `${Number(before) + 1}`));
    ctx.command("SetState", { key: Buffer.from("sum"), value: { content: Buffer.from(sum) } });
    return await ctx.get(ctx.run("after", () => sum));
  };
  const { stage, actor } = await driving(
    { add },
    { ...IN_FUNCTION, services: [objectOf(["add"])], eagerStateMaxBytes: 0 },
  );
  for (const sum of ["1", "2"])
    expect(textOf(await stage.pulse.within(2 * SECOND_MS, callKeyed(actor, keyed("O", "k", "add"))))).toBe(sum);
  expect(stage.deployment.attempts).toHaveLength(2);
});
