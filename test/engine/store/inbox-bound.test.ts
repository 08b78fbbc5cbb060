/** An inbox larger than its bound in memory is read in parts: each arrival once, in order, and no wake-up is lost. */
import { expect, test } from "vitest";
import { CANCEL_SIGNAL } from "../../../shared/core/protocol/command-parts.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { currentLife, writeArrival } from "../../../shared/engine/messaging/deliver.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import {
  type Actor,
  callOn,
  sendOn,
  type Stage,
  type StageSettings,
  textOf,
} from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const KIB = 1024;
const MIB = 1024 * KIB;
const RESULTS = 20;
const FIRST_SIGNAL = 17;
const LARGE = { messageSizeMaxBytes: 32 * MIB };
const letterOf = (at: number) => String.fromCharCode(97 + at);

/** Awaits the last of its awakeables first, so that no other one satisfies its first await. */
const awaitsLastFirst: Handler = async (ctx) => {
  const results = Array.from({ length: RESULTS }, () => ctx.awakeable().result);
  const values: string[] = [];
  for (const result of results.reverse()) values.push(await ctx.get(result));
  return values.map((value) => value[0]).join("");
};

/** @returns an actor that reads two results of 700 KiB at a time */
function narrow(stage: Stage, journalsMaxBytes = 3 * MIB): Actor {
  const actor = stage.actor();
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, { journalsMaxBytes }));
  return actor;
}

/** Starts an invocation of `handler`, lets it suspend, and ends the process that drives it. */
async function suspended(handlers: Record<string, Handler>, handler: string, settings: StageSettings = LARGE) {
  const stage = await open(handlers, settings);
  const first = stage.actor();
  first.startWorker();
  const { invocationId: id } = await sendOn(first, handler);
  await stage.pulse.pass(100);
  expect((await inspect(first.engine, id))!.status).toBe("suspended");
  first.die();
  return { stage, id };
}

/** Writes a result for each awakeable, without a wake. */
async function fill({ engine }: Actor, id: InvocationId, sizeBytes: number, count = RESULTS): Promise<void> {
  const to = (await currentLife(engine, id))!;
  for (let at = 0; at < count; at++) {
    const result = { kind: "success" as const, value: new Uint8Array(sizeBytes).fill(97 + at) };
    const key = `s${FIRST_SIGNAL + at}`;
    await writeArrival(engine, to, {
      key,
      content: { kind: "notification", id: { index: FIRST_SIGNAL + at }, result },
    });
  }
}

async function ended({ pulse }: Stage, { engine }: Actor, id: InvocationId): Promise<string> {
  const end = await pulse.within(60_000, attach(engine, id));
  return end.kind === "ended" ? textOf(end) : end.kind;
}

const signalsIn = (stage: Stage, at: number) =>
  stage.deployment.attempts[at]!.notifications.map(({ signalIndex }) => (signalIndex ?? 0) - FIRST_SIGNAL);

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

test.each([
  ["in one item each", 290 * KIB, 5],
  ["in pieces", 700 * KIB, 2],
])("one wake brings all results that are stored %s, in order, each once", async (_, sizeBytes, atOnce) => {
  const { stage, id } = await suspended({ awaits: awaitsLastFirst }, "awaits");
  const actor = narrow(stage);
  await fill(actor, id, sizeBytes);
  await sendWake(actor.engine, { id }, 0);
  actor.startWorker();
  expect(await ended(stage, actor, id)).toBe(upTo(RESULTS).map(letterOf).reverse().join(""));
  const parts = upTo(RESULTS / atOnce).map((part) => upTo((part + 1) * atOnce));
  expect(stage.deployment.attempts.slice(1).map((_, at) => signalsIn(stage, at + 1))).toEqual(parts);
  const { entries } = (await inspect(actor.engine, id))!;
  expect(entries.filter(({ type }) => type === "Notification: Signal")).toHaveLength(RESULTS);
  expect([...(await load(actor.engine, id))!.arrivals.keys()]).toEqual([]);
});

test("if a driver dies between two reads of an inbox, its successor reads on, and no result comes twice", async () => {
  const { stage, id } = await suspended({ awaits: awaitsLastFirst }, "awaits");
  const [dying, next] = [narrow(stage), narrow(stage)];
  await fill(dying, id, 700 * KIB);
  await sendWake(dying.engine, { id }, 0);
  dying.process.before = ({ port, method, args }) => {
    if (port !== "table" || method !== "put" || !/^seg#.*#000003$/.test((args[0] as { sk: string }).sk))
      return undefined;
    dying.die();
    return Promise.resolve();
  };
  dying.startWorker();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts).toHaveLength(3);
  next.startWorker();
  expect(await ended(stage, next, id)).toHaveLength(RESULTS);
  const counts = stage.deployment.attempts.slice(1).map((_, at) => signalsIn(stage, at + 1).length);
  expect(counts.slice(0, 5)).toEqual([2, 4, 4, 6, 8]);
});

test("a result that comes while a driver works through a cut inbox is read, although its wake starts no driver", async () => {
  const { stage, id } = await suspended({ awaits: awaitsLastFirst }, "awaits");
  const actor = narrow(stage);
  await fill(actor, id, 700 * KIB, RESULTS - 1);
  await sendWake(actor.engine, { id }, 0);
  actor.startWorker();
  let written: Promise<void> | undefined;
  stage.deployment.instead = () => {
    // The table refuses the results that exist already, so this `fill` adds only the last result.
    written ??= fill(actor, id, 700 * KIB).then(async () => void (await sendWake(actor.engine, { id }, 0)));
    return undefined;
  };
  expect(await ended(stage, actor, id)).toHaveLength(RESULTS);
  await written;
});

test.each([
  ["an order to kill", kill, "409 killed"],
  ["a cancel", cancel, "409 Cancelled"],
])("%s behind a full inbox is obeyed at once", async (_, act, end) => {
  const handler: Handler = async (ctx) => {
    const results = Array.from({ length: RESULTS + 1 }, () => ctx.awakeable().result);
    return await ctx.get(results.at(-1)!);
  };
  const { stage, id } = await suspended({ awaits: handler }, "awaits");
  const actor = narrow(stage);
  await fill(actor, id, 700 * KIB);
  const { size } = (await load(actor.engine, id))!.arrivals;
  expect(size).toBeLessThan(RESULTS);
  // A read takes at least one arrival, and this bound admits no further byte.
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, { journalsMaxBytes: 1 }));
  const acting = act(actor.engine, id);
  actor.startWorker();
  await stage.pulse.within(1_000, acting);
  expect(await ended(stage, actor, id)).toBe(end);
  expect(stage.deployment.attempts.length).toBeLessThanOrEqual(2);
});

test("a load that has reached its bound still takes a cancel, but leaves a signal of the same size in the table", async () => {
  const { stage, id } = await suspended({ awaits: awaitsLastFirst }, "awaits");
  const { engine } = stage.actor();
  const to = (await currentLife(engine, id))!;
  const signal = async (key: string, index: number, sizeBytes: number) => {
    const result = sizeBytes === 0 ? undefined : { kind: "success" as const, value: new Uint8Array(sizeBytes) };
    await writeArrival(engine, to, { key, content: { kind: "notification", id: { index }, result } });
  };
  for (let at = 0; at < 14; at++) await signal(`s${FIRST_SIGNAL + at}`, FIRST_SIGNAL + at, 290 * KIB);
  await signal("s50", 50, 28_700);
  await signal("x1", 51, 0);
  await signal("x2", CANCEL_SIGNAL, 0);
  const { arrivals, left } = (await load(engine, id))!;
  expect([arrivals.has("s50"), arrivals.has("x2"), [...left!]]).toEqual([true, true, ["x1"]]);
});

test("results beyond the limit of a journal pause the invocation with RT0903, and none is lost", async () => {
  const { stage, id } = await suspended({ awaits: awaitsLastFirst }, "awaits");
  const actor = narrow(stage, 40 * MIB);
  await fill(actor, id, 31 * MIB, 5);
  await fill(actor, id, 1);
  await sendWake(actor.engine, { id }, 0);
  actor.startWorker();
  await stage.pulse.pass(10_000);
  const paused = (await inspect(actor.engine, id))!;
  expect(paused).toMatchObject({ status: "paused", lastFailure: { errorCode: "RT0903" } });
  expect(paused.lastFailure!.message).toMatch(/^a result of 3\d{7} bytes waits, .* may have 134217728 \(twice worker/);
  const attempts = stage.deployment.attempts.length;
  // Four of the five results of 31 MiB fit into 128 MiB, together with all small results.
  expect(signalsIn(stage, attempts - 1)).toHaveLength(RESULTS - 1);
  await resume(actor.engine, id, { kind: "keep" });
  await stage.pulse.pass(10_000);
  expect([(await inspect(actor.engine, id))!.status, stage.deployment.attempts.length]).toEqual(["paused", attempts]);
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, { journalsMaxBytes: 128 * MIB }));
  await resume(actor.engine, id, { kind: "keep" });
  expect(await ended(stage, actor, id)).toHaveLength(RESULTS);
});

test("a caller's driver, which has no room for large arrivals, leaves the invocation to a worker", async () => {
  let filled: Promise<void> | undefined;
  const handler: Handler = async (ctx) => {
    await ctx.get(ctx.run("begin", () => "begun"));
    if (ctx.journal.commands.length > 1) await (filled ??= fill(caller, ctx.id as InvocationId, 700 * KIB));
    return await awaitsLastFirst(ctx);
  };
  const stage = await open({ awaits: handler }, LARGE);
  const [caller, worker] = [stage.actor(), narrow(stage)];
  const call = callOn(caller, "awaits");
  await stage.pulse.pass(1_000);
  const before = stage.deployment.attempts.length;
  worker.startWorker();
  expect(textOf(await stage.pulse.within(60_000, call))).toHaveLength(RESULTS);
  expect([before, stage.deployment.attempts[2]!.notifications.length]).toEqual([2, 3]);
});

test("if the results of calls exceed a few MiB together, further results go through the table, and all arrive", async () => {
  const value = "x".repeat(3 * MIB);
  const stage = await open(
    {
      large: () => value,
      parent: async (ctx) => {
        const calls = upTo(4).map((at) => ctx.call("large", "", { idempotencyKey: `k${at}` }));
        const again = upTo(4).map((at) => ctx.call("large", "", { idempotencyKey: `k${at}` }));
        let sizeBytes = 0;
        for (const one of [...calls, ...again]) sizeBytes += (await ctx.get(one)).length;
        return String(sizeBytes);
      },
    },
    LARGE,
  );
  const actor = stage.actor();
  actor.startWorker();
  const written = new Set<string>();
  actor.process.before = ({ port, method, args }) => {
    const { sk = "" } = args[0] as { sk?: string };
    if (port === "table" && method === "put" && sk.startsWith("arr#")) written.add(sk);
    return undefined;
  };
  const run = async () => {
    written.clear();
    expect(textOf(await stage.pulse.within(60_000, callOn(actor, "parent")))).toBe(String(8 * value.length));
    return written.size;
  };
  expect(await run()).toBeGreaterThanOrEqual(7);
  // The second parent finds that its calls have ended.
  expect(await run()).toBeGreaterThanOrEqual(7);
});

test("an open exchange ends when its inbox is cut, and the next one goes on", async () => {
  const stage = await open({ awaits: awaitsLastFirst }, { ...LARGE, opensExchanges: true });
  const actor = narrow(stage);
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "awaits");
  await stage.pulse.pass(1_000);
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([true]);
  await fill(actor, id, 700 * KIB);
  await sendWake(actor.engine, { id }, 0);
  // The inactivity timeout of a minute does not have to pass.
  await stage.pulse.pass(20_000);
  expect(await ended(stage, actor, id)).toHaveLength(RESULTS);
});
