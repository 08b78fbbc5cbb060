/** Slices of walks: workers do in parallel what one pass cannot do; no lost message or dead worker leaves an entry out. */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { invocationPk, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import { readNoted } from "../../../shared/engine/store/index-walk.ts";
import { runSlice } from "../../../shared/engine/sweep/slices.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import type { SweepReport } from "../../../shared/engine/sweep/pass.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { plantListed, plantOpen, slowed, wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const EVERY_MS = 5 * MINUTE_MS;
const LOOK_MS = 4_000;
const SHARDS = 4;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Plants more invocations of each kind than one pass looks at, all of which must be woken. */
async function field() {
  const stage = await open({ waits: () => "never" }, { indexShards: SHARDS });
  const { engine } = stage.actor();
  const nowMs = stage.pulse.nowMs();
  const due = numbers(60).map((at) => ({ status: "backing-off" as const, lookAtMs: nowMs - 1_000 * at }));
  const dead = numbers(20).map((at) => ({ status: "running" as const, lookAtMs: nowMs + DAY_MS + at, untilMs: 1 }));
  const listed = await plantListed(
    stage.stores.table,
    engine,
    numbers(60).map((at) => nowMs - 15 * MINUTE_MS + 1_000 * at),
  );
  const opened = await plantOpen(stage.stores.table, engine, [...due, ...dead]);
  return { stage, ids: [...opened, ...listed] };
}

/** The queue of slices; a test takes the messages out and delivers them. */
class Messages {
  names: string[] = [];
  take(): string[] {
    return this.names.splice(0);
  }
}

function process(stage: Stage, messages: Messages): Actor {
  const actor = stage.actor();
  slowed(actor, stage, LOOK_MS);
  const slices = { send: async (name: string) => void messages.names.push(name) };
  return { ...actor, engine: { ...actor.engine, slices } };
}

async function pass(
  stage: Stage,
  messages: Messages,
  order = sweepOnce,
): Promise<{ sweeper: Actor; report: SweepReport }> {
  const sweeper = process(stage, messages);
  const report = await stage.pulse.within(EVERY_MS, order(sweeper.engine, stage.pulse.nowMs() + 40_000));
  return { sweeper, report };
}

/** Workers take messages until the queue stays empty. @returns the invocations that the workers woke */
async function work(stage: Stage, messages: Messages): Promise<InvocationId[]> {
  const woken: InvocationId[] = [];
  for (let names = messages.take(); names.length > 0; names = messages.take()) {
    const workers = names.map((name) => ({ name, worker: process(stage, messages) }));
    await stage.pulse.within(
      20 * MINUTE_MS,
      Promise.all(workers.map(({ name, worker }) => runSlice(worker.engine, name))),
    );
    for (const { worker } of workers) woken.push(...wokenBy(worker));
  }
  return woken;
}

const remembered = async (stage: Stage) => (await stage.stores.table.query(sweeperPk(""))).items.map(({ sk }) => sk);
const missing = (ids: readonly InvocationId[], woken: readonly InvocationId[]) => {
  const known = new Set(woken);
  return ids.filter((id) => !known.has(id));
};

test("a pass with more to do than it can finish hands the rest over, and workers do all of it at the same time", async () => {
  const { stage, ids } = await field();
  const messages = new Messages();
  const { sweeper, report } = await pass(stage, messages);
  expect(report.handedOver).toBeGreaterThan(2 * SHARDS);
  expect(report).not.toHaveProperty("unfinished");
  const beganMs = stage.pulse.nowMs();
  const woken = [...wokenBy(sweeper), ...(await work(stage, messages))];
  expect(missing(ids, woken)).toEqual([]);
  expect(await remembered(stage)).toEqual(["listed"]);
  // One process would need 72 seconds for 140 looks of four seconds, eight at a time.
  expect(stage.pulse.nowMs() - beganMs).toBeLessThan(MINUTE_MS);
  // Each slice begins where the pass, or the slice before it, ended, so no look is made twice.
  expect(woken.length).toBeLessThan(1.1 * ids.length);
});

test("an order to look at everything is handed over as well, and is done when its slices are", async () => {
  const { stage, ids } = await field();
  const messages = new Messages();
  const old = await plantListed(
    stage.stores.table,
    stage.actor().engine,
    numbers(100).map((at) => stage.pulse.nowMs() - 3 * DAY_MS + at),
  );
  const { sweeper } = await pass(stage, messages, sweepAll);
  const woken = [...wokenBy(sweeper), ...(await work(stage, messages))];
  expect(missing([...ids, ...old], woken)).toEqual([]);
  expect(await remembered(stage)).toEqual(["listed"]);
});

describe("slices that are not done", () => {
  test("are sent again at most every few minutes, however often passes come", async () => {
    const { stage } = await field();
    const messages = new Messages();
    await pass(stage, messages);
    const first = messages.take().length;
    expect(first).toBeGreaterThan(0);
    const sent: number[] = [];
    for (let passes = 0; passes < 20; passes++) {
      await stage.pulse.pass(15_000);
      const sweeper = process(stage, messages);
      // This pass has too little time for its own walk.
      await stage.pulse.within(EVERY_MS, sweepOnce(sweeper.engine, stage.pulse.nowMs()));
      sent.push(messages.take().length);
    }
    expect(Math.max(...sent)).toBe(first);
    expect(sent.filter((count) => count > 0).length).toBeLessThanOrEqual(2);
  });

  test("are sent again by the next pass if their messages were lost, and no second walk begins", async () => {
    const { stage, ids } = await field();
    const messages = new Messages();
    const first = await pass(stage, messages);
    const lost = messages.take();
    await stage.pulse.pass(EVERY_MS);
    const second = await pass(stage, messages);
    expect(new Set(messages.names)).toEqual(new Set(lost));
    const woken = [first, second].flatMap(({ sweeper }) => wokenBy(sweeper));
    expect(missing(ids, [...woken, ...(await work(stage, messages))])).toEqual([]);
  });

  test("continue from the progress that a dead worker has written", async () => {
    const { stage, ids } = await field();
    const messages = new Messages();
    const { sweeper } = await pass(stage, messages);
    const woken = wokenBy(sweeper);
    const victims = messages.take().map((name, at) => {
      const victim = process(stage, messages);
      void runSlice(victim.engine, name);
      return { victim, diesAtMs: 1_000 * (at % 12) };
    });
    for (let second = 0; second < 12; second++) {
      for (const { victim, diesAtMs } of victims) if (diesAtMs === 1_000 * second) victim.die();
      await stage.pulse.pass(1_000);
    }
    messages.take();
    await stage.pulse.pass(EVERY_MS);
    for (let again = 0; again < 3; again++) {
      const next = await pass(stage, messages);
      woken.push(...wokenBy(next.sweeper), ...(await work(stage, messages)));
      await stage.pulse.pass(EVERY_MS);
    }
    for (const { victim } of victims) woken.push(...wokenBy(victim).slice(0, -1));
    expect(missing(ids, woken)).toEqual([]);
    expect(await remembered(stage)).toEqual(["listed"]);
  });

  test("are done by one worker at a time, however often their messages come", async () => {
    const { stage } = await field();
    const messages = new Messages();
    await pass(stage, messages);
    const [name] = messages.take();
    const workers = numbers(5).map(() => process(stage, messages));
    await stage.pulse.within(5 * MINUTE_MS, Promise.all(workers.map(({ engine }) => runSlice(engine, name!))));
    expect(workers.filter((worker) => wokenBy(worker).length > 0).length).toBeLessThanOrEqual(1);
  });

  test("skip an invocation that kills every worker, and all invocations are woken", async () => {
    const { stage, ids } = await field();
    const messages = new Messages();
    const { sweeper } = await pass(stage, messages);
    const poison = missing(ids, wokenBy(sweeper))[0]!;
    const woken = wokenBy(sweeper);
    let deaths = 0;
    for (let round = 0; round < 8; round++) {
      for (const name of messages.take()) {
        const worker = process(stage, messages);
        const slow = worker.process.before;
        worker.process.before = (call) => {
          if (call.method !== "query" || call.args[0] !== invocationPk("", poison)) return slow?.(call);
          deaths++;
          worker.die();
          return new Promise(() => undefined);
        };
        void runSlice(worker.engine, name);
        await stage.pulse.pass(2 * MINUTE_MS);
        woken.push(...wokenBy(worker));
      }
      await stage.pulse.pass(EVERY_MS);
      woken.push(...wokenBy((await pass(stage, messages)).sweeper));
    }
    // One death in a concurrent look, one in a recorded look, and at most one in another slice before it reads the record.
    expect(deaths).toBeLessThanOrEqual(3);
    expect(missing(ids, woken)).toEqual([]);
  });

  test("remember each entry of the listing that the table did not return, and give it up after twenty tries", async () => {
    const { stage, ids } = await field();
    const messages = new Messages();
    const { sweeper } = await pass(stage, messages);
    const sick = missing(ids, wokenBy(sweeper)).at(-1)!;
    const woken = wokenBy(sweeper);
    let tries = 0;
    for (let round = 0; round < 25; round++) {
      for (const name of messages.take()) {
        const worker = process(stage, messages);
        worker.process.before = ({ method, args }) => {
          if (method !== "query" || args[0] !== invocationPk("", sick)) return undefined;
          tries++;
          return Promise.reject(new StoreError("not now"));
        };
        await stage.pulse.within(MINUTE_MS, runSlice(worker.engine, name));
        woken.push(...wokenBy(worker));
      }
      await stage.pulse.pass(EVERY_MS);
      await pass(stage, messages);
    }
    expect(tries).toBe(20);
    expect(missing(ids, woken)).toEqual([sick]);
    expect((await remembered(stage)).filter((sk) => sk.includes(sick))).toEqual([]);
  });
});

test("a list of invocations relies on the open index only up to the earliest position of an unfinished slice", async () => {
  const { stage } = await field();
  const messages = new Messages();
  const { engine } = stage.actor();
  const oldestMs = stage.pulse.nowMs() - 15 * MINUTE_MS;
  await pass(stage, messages);
  expect((await readNoted(engine)).belowMs).toBeLessThan(oldestMs + 15 * MINUTE_MS);
  const toCome = (await readNoted(engine)).belowMs;
  await work(stage, messages);
  expect((await readNoted(engine)).belowMs).toBeGreaterThan(toCome);
});
