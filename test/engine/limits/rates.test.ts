/** Rates: invocations begin at the rate of their rule, never faster than its burst allows, and hardly slower. */
import { describe, expect, test } from "vitest";
import { removeRules } from "../../../shared/engine/register/rules.ts";
import type { Rate } from "../../../shared/core/limits/rule.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { limit, scoped } from "./limited-stage.ts";

const open = stages();

interface Started {
  readonly input: string;
  readonly atMs: number;
}

async function stageOf() {
  const started: Started[] = [];
  const stage: Stage = await open({
    work: (ctx) => (started.push({ input: ctx.journal.input, atMs: stage.pulse.nowMs() }), "done"),
    fails: () => {
      started.push({ input: "fails", atMs: stage.pulse.nowMs() });
      throw new Error("always");
    },
  });
  return { stage, started };
}

async function sendMany(actor: Actor, count: number, more: Parameters<typeof sendOn>[3] = {}) {
  for (let at = 0; at < count; at++) await sendOn(actor, "work", `${at}`, more);
}

/** The most starts in any window beyond what the burst and the rate allow; at most 0 if the rate holds. */
function excess(started: readonly Started[], { count, perMs, burst }: Rate): number {
  const moments = started.map(({ atMs }) => atMs).sort((a, b) => a - b);
  let most = -Infinity;
  for (let from = 0; from < moments.length; from++)
    for (let to = from; to < moments.length; to++) {
      const allowed = burst + ((moments[to]! - moments[from]!) * count) / perMs;
      most = Math.max(most, to - from + 1 - allowed);
    }
  return most;
}

describe.each([
  ["one process that owns its store", true],
  ["two processes on a shared store", false],
])("in %s", (_, soleOwner) => {
  function actors(stage: Stage): Actor {
    const first = stage.actor({ soleOwner });
    first.startWorker();
    if (!soleOwner) stage.actor().startWorker();
    return first;
  }

  test.each<[string, Rate, number]>([
    ["100 a second", { count: 100, perMs: 1_000, burst: 10 }, 300],
    ["2 a second", { count: 2, perMs: 1_000, burst: 1 }, 12],
    ["30 a minute", { count: 30, perMs: 60_000, burst: 5 }, 20],
  ])("%s begin, never above the burst and the rate, and below by a hundredth at most", async (_name, rate, count) => {
    const { stage, started } = await stageOf();
    const actor = actors(stage);
    await stage.pulse.within(0, limit(actor, "service:S", { rate }));
    await stage.pulse.within(0, sendMany(actor, count));
    const fullMs = ((count - rate.burst) * rate.perMs) / rate.count;
    await stage.pulse.pass(1.01 * fullMs + 1_500);
    expect(started).toHaveLength(count);
    expect(excess(started, rate)).toBeLessThanOrEqual(1e-6);
  });
});

test("keys take turns for starts", async () => {
  const { stage, started } = await stageOf();
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "acme", { rate: { count: 1, perMs: 1_000, burst: 1 } }));
  for (const [input, key] of ["a1 a", "a2 a", "a3 a", "b1 b", "c1 c"].map((one) => one.split(" "))) {
    await stage.pulse.within(0, sendOn(actor, "work", input, scoped("work", "acme", key)));
    await stage.pulse.pass(1);
  }
  await stage.pulse.pass(10_000);
  expect(started.map(({ input }) => input)).toEqual(["a1", "a2", "b1", "c1", "a3"]);
});

test("a retry is no start", async () => {
  const { stage, started } = await stageOf();
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 1, perMs: 3_600_000, burst: 1 } }));
  await stage.pulse.within(0, sendOn(actor, "fails"));
  await stage.pulse.pass(3_000);
  expect(started.length).toBeGreaterThan(3);
});

test("after the rule is removed, all go on", async () => {
  const { stage, started } = await stageOf();
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, limit(actor, "service:S", { rate: { count: 1, perMs: 3_600_000, burst: 1 } }));
  await stage.pulse.within(0, sendMany(actor, 8));
  await stage.pulse.pass(2_000);
  expect(started).toHaveLength(1);
  await stage.pulse.within(0, removeRules(actor.engine, [{ pattern: "service:S" }]));
  await stage.pulse.pass(2_000);
  expect(started).toHaveLength(8);
});

test("a place is held while its invocation waits for a start of the same rule", async () => {
  const { stage, started } = await stageOf();
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const rate = { count: 2, perMs: 1_000, burst: 1 };
  await stage.pulse.within(0, limit(actor, "service:S", { concurrency: 1, rate }));
  await stage.pulse.within(0, sendMany(actor, 6));
  await stage.pulse.pass(4_000);
  expect(started).toHaveLength(6);
  expect(excess(started, rate)).toBeLessThanOrEqual(1e-6);
});

test("if the process dies that serves the line, another goes on with it", async () => {
  const { stage, started } = await stageOf();
  const first = stage.actor();
  first.startWorker();
  await stage.pulse.within(0, limit(first, "service:S", { rate: { count: 1, perMs: 1_000, burst: 1 } }));
  await stage.pulse.within(0, sendMany(first, 5));
  await stage.pulse.pass(1_500);
  const before = started.length;
  first.die();
  const second = stage.actor();
  second.startWorker();
  await stage.pulse.pass(40_000);
  expect(started.length).toBeGreaterThan(before);
  expect(started).toHaveLength(5);
});
