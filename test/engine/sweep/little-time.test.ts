/** A sweeper whose passes end before they have looked at everything. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { plantListed, plantOpen, slowed, wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 5 * MINUTE_MS;
/** Eight looks run concurrently, so a pass of a minute has time for some two hundred. */
const LOOK_MS = 2_500;
const PASS_MS = 60_000;

const handlers = { waits: () => "never" };
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Makes a pass of one minute in a new process, which has no memory of earlier passes. */
async function pass(stage: Stage, sweeping: typeof sweepOnce = sweepOnce): Promise<Actor> {
  const sweeper = stage.actor();
  slowed(sweeper, stage, LOOK_MS);
  const untilMs = stage.pulse.nowMs() + PASS_MS;
  await stage.pulse.within(PASS_MS + 20 * LOOK_MS, sweeping(sweeper.engine, untilMs));
  return sweeper;
}

/** Makes `count` passes, one each interval. @returns the invocations that the passes woke, with repetitions */
async function wokenInPasses(stage: Stage, count: number): Promise<InvocationId[]> {
  const woken: InvocationId[] = [];
  for (let passes = 0; passes < count; passes++) {
    woken.push(...wokenBy(await pass(stage)));
    await stage.pulse.pass(EVERY_MS - PASS_MS);
  }
  return woken;
}

const due = (stage: Stage, agoMs: number) => ({
  status: "backing-off" as const,
  lookAtMs: stage.pulse.nowMs() - agoMs,
});

test("every overdue invocation is woken within some passes, the oldest of all shards first, even if more become due than a pass can look at", async () => {
  const stage = await open(handlers, { indexShards: 4 });
  const { engine } = stage.actor();
  const overdue = await plantOpen(
    stage.stores.table,
    engine,
    numbers(600).map((at) => due(stage, 10 * MINUTE_MS - at)),
  );
  const left = new Set<InvocationId>(overdue);
  const sizes: number[] = [];
  while (left.size > 0 && sizes.length < 10) {
    const sweeper = await pass(stage);
    const woken = wokenBy(sweeper);
    if (sizes.length === 0) expect(new Set(woken)).toEqual(new Set(overdue.slice(0, woken.length)));
    for (const id of woken) left.delete(id);
    sizes.push(woken.length);
    await stage.pulse.pass(EVERY_MS - PASS_MS);
    await plantOpen(
      stage.stores.table,
      engine,
      numbers(300).map((at) => due(stage, at)),
    );
  }
  expect(left.size).toBe(0);
  // Each pass had time for fewer invocations than became due.
  expect(Math.max(...sizes)).toBeLessThan(300);
});

test("an invocation that was woken and is still due gets its next turn after all others", async () => {
  const stage = await open(handlers);
  const ids = await plantOpen(
    stage.stores.table,
    stage.actor().engine,
    numbers(500).map((at) => due(stage, DAY_MS - at)),
  );
  const times = new Map<InvocationId, number>();
  for (let passes = 0; passes < 8; passes++) {
    for (const id of wokenBy(await pass(stage))) times.set(id, (times.get(id) ?? 0) + 1);
    await stage.pulse.pass(EVERY_MS - PASS_MS);
  }
  const counts = ids.map((id) => times.get(id) ?? 0);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
});

test("a backlog of one task of the sweeper does not keep the other tasks from their turn", async () => {
  const stage = await open(handlers);
  const { engine } = stage.actor();
  const nowMs = stage.pulse.nowMs();
  await plantOpen(
    stage.stores.table,
    engine,
    numbers(2_000).map((at) => due(stage, at)),
  );
  await plantListed(
    stage.stores.table,
    engine,
    numbers(1_000).map((at) => nowMs - 15 * MINUTE_MS + at),
  );
  const far = numbers(300).map((at) => ({ status: "backing-off" as const, lookAtMs: nowMs + DAY_MS + at }));
  const dead = { status: "running" as const, lookAtMs: nowMs + 2 * DAY_MS, untilMs: nowMs - 1 };
  const [late] = await plantOpen(stage.stores.table, engine, [dead, ...far]);
  const [listed] = await plantListed(stage.stores.table, engine, [nowMs - 10 * MINUTE_MS]);
  const woken = await wokenInPasses(stage, 14);
  expect([woken.includes(late!), woken.includes(listed!)]).toEqual([true, true]);
});

test("accepted invocations are looked at in turn, and none is left out, however few of them a pass can look at", async () => {
  const stage = await open(handlers);
  const { engine } = stage.actor();
  const nowMs = stage.pulse.nowMs();
  const ids = await plantListed(
    stage.stores.table,
    engine,
    numbers(500).map((at) => nowMs - 19 * MINUTE_MS + Math.floor(at / 100)),
  );
  const first = await wokenInPasses(stage, 2);
  expect(new Set(first).size).toBe(first.length);
  // Meanwhile the invocations of the first pass, which still have no driver, become due again beside the others.
  const rest = await wokenInPasses(stage, 3);
  expect(new Set([...first, ...rest])).toEqual(new Set(ids));
});

test("an order to look at everything is carried out by the passes that follow, and only once", async () => {
  const stage = await open(handlers);
  const { engine } = stage.actor();
  const nowMs = stage.pulse.nowMs();
  const ids = await plantListed(
    stage.stores.table,
    engine,
    numbers(500).map((at) => nowMs - 3 * DAY_MS + at),
  );
  await plantOpen(
    stage.stores.table,
    engine,
    numbers(300).map((at) => ({ status: "backing-off", lookAtMs: nowMs + DAY_MS + at })),
  );
  const first = await pass(stage, sweepAll);
  expect(first.log.lines.some(({ event }) => event === "sweeper.pass-unfinished")).toBe(true);
  const woken = wokenBy(first);
  for (let passes = 0; passes < 8; passes++) {
    await stage.pulse.pass(EVERY_MS - PASS_MS);
    woken.push(...wokenBy(await pass(stage)));
  }
  expect(woken).toHaveLength(ids.length);
  expect(new Set(woken)).toEqual(new Set(ids));
});
