/** A sweeper that dies during a pass, two sweepers at once, and entries that cannot be read for a while. */
import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { invocationPk, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import { type Key, StoreError } from "../../../shared/engine/ports/table.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { stages } from "../../harness/engine/stages.ts";
import { plantListed, plantOpen, slowed, wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 5 * MINUTE_MS;
const LOOK_MS = 4_000;
const PASS_MS = 40_000;

const handlers = { waits: () => "never" };
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

interface Field {
  readonly stage: Stage;
  /** All invocations that the sweeper must wake. */
  readonly ids: readonly InvocationId[];
}

/** Plants invocations of each kind, more than a pass can look at. */
async function field(): Promise<Field> {
  const stage = await open(handlers, { indexShards: 3 });
  const { engine } = stage.actor();
  const nowMs = stage.pulse.nowMs();
  const due = numbers(100).map((at) => ({ status: "backing-off" as const, lookAtMs: nowMs - 1_000 * at }));
  const dead = numbers(20).map((at) => ({ status: "running" as const, lookAtMs: nowMs + DAY_MS + at, untilMs: 1 }));
  const asleep = numbers(20).map((at) => ({ status: "backing-off" as const, lookAtMs: nowMs + DAY_MS + at }));
  const listed = await plantListed(
    stage.stores.table,
    engine,
    numbers(100).map((at) => nowMs - 15 * MINUTE_MS + at),
  );
  const [opened] = await Promise.all([
    plantOpen(stage.stores.table, engine, [...due, ...dead]),
    plantOpen(stage.stores.table, engine, asleep),
  ]);
  return { stage, ids: [...opened, ...listed] };
}

function sweeperOf(stage: Stage, lookMs = LOOK_MS): Actor {
  const sweeper = stage.actor();
  slowed(sweeper, stage, lookMs);
  return sweeper;
}

const untilMs = ({ pulse }: Stage) => pulse.nowMs() + PASS_MS;
const isWriteOf = (pk: string, { method, args: [of] }: PortCall) =>
  ["put", "update", "delete"].includes(method) && (of as Key).pk === pk;

/** Makes each pass in a new process, which has no memory of earlier passes. @returns the invocations that the passes woke */
async function passes(stage: Stage, count: number): Promise<InvocationId[]> {
  const woken: InvocationId[] = [];
  for (let at = 0; at < count; at++) {
    const actor = sweeperOf(stage);
    await stage.pulse.within(2 * PASS_MS, sweepOnce(actor.engine, untilMs(stage)));
    woken.push(...wokenBy(actor));
    await stage.pulse.pass(EVERY_MS - PASS_MS);
  }
  return woken;
}

describe("a sweeper that dies", () => {
  // Each message that the sweeper sends, and each write to its own partition, counts as one write.
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 20, 40, 60, 80])(
    "before its write number %i leaves no invocation out",
    async (number) => {
      const { stage, ids } = await field();
      const killed = sweeperOf(stage);
      const { before } = killed.process;
      let writes = 0;
      killed.process.before = (call) => {
        const isWrite = call.method === "send" || isWriteOf(sweeperPk(""), call);
        if (isWrite && ++writes === number) killed.die();
        return writes === number ? Promise.resolve() : before?.(call);
      };
      void sweepOnce(killed.engine, untilMs(stage));
      await stage.pulse.pass(EVERY_MS);
      expect(writes).toBeGreaterThanOrEqual(number);
      const calls = wokenBy(killed).slice(0, -1);
      const woken = new Set([...calls, ...(await passes(stage, 6))]);
      expect(ids.filter((id) => !woken.has(id))).toEqual([]);
    },
  );

  test("before its second write of progress loses at most its work since the first write", async () => {
    const { stage, ids } = await field();
    const woken = new Set<InvocationId>();
    // Each sweeper dies at its second write of progress: the next sweeper continues from the first write.
    for (let deaths = 0; deaths < 30; deaths++) {
      // After a death the sweeper makes one look at a time. Each look is short here, so that 30 sweepers reach all invocations.
      const killed = sweeperOf(stage, 1_000);
      const { before } = killed.process;
      let writes = 0;
      killed.process.before = (call) => {
        const isProgress = isWriteOf(sweeperPk(""), call) && (call.args[0] as Key).sk === "listed";
        if (isProgress && ++writes === 2) killed.die();
        return before?.(call);
      };
      void sweepOnce(killed.engine, untilMs(stage));
      await stage.pulse.pass(EVERY_MS);
      for (const id of wokenBy(killed)) woken.add(id);
    }
    expect(ids.filter((id) => !woken.has(id))).toEqual([]);
  });
});

test("two sweepers at once go on from the progress of either, and an order to look at everything stays until it is done", async () => {
  const { stage, ids } = await field();
  const nowMs = stage.pulse.nowMs();
  const old = await plantListed(
    stage.stores.table,
    stage.actor().engine,
    numbers(200).map((at) => nowMs - 3 * DAY_MS + at),
  );
  const first = sweeperOf(stage);
  const ordinary = sweepOnce(first.engine, untilMs(stage));
  const ordered = sweeperOf(stage);
  await stage.pulse.pass(LOOK_MS / 2);
  await stage.pulse.within(2 * PASS_MS, Promise.all([ordinary, sweepAll(ordered.engine, untilMs(stage))]));
  const woken = new Set([...wokenBy(first), ...wokenBy(ordered)]);
  const remembered = async () => (await stage.stores.table.query(sweeperPk(""))).items.map(({ sk }) => sk);
  // A pass has time for about eighty looks.
  for (let pass = 0; pass < 20 && (await remembered()).includes("everything"); pass++) {
    const pair = [sweeperOf(stage), sweeperOf(stage)];
    const two = pair.map(({ engine }, at) =>
      stage.pulse.sleep(at * LOOK_MS).then(() => sweepOnce(engine, untilMs(stage))),
    );
    await stage.pulse.within(3 * PASS_MS, Promise.all(two));
    for (const sweeper of pair) for (const id of wokenBy(sweeper)) woken.add(id);
    await stage.pulse.pass(EVERY_MS - PASS_MS);
  }
  expect([...ids, ...old].filter((id) => !woken.has(id))).toEqual([]);
  expect(await remembered()).toEqual(["listed"]);
});

describe("an entry of the listing whose look fails", () => {
  const failing = (actor: Actor, isFailing: (pk: string) => boolean): void => {
    actor.process.before = ({ method, args: [pk] }) =>
      method === "query" && String(pk).startsWith("inv#") && isFailing(String(pk))
        ? Promise.reject(new StoreError("not now"))
        : undefined;
  };

  test("does not delay the later entries, and is looked at again by the next pass", async () => {
    const stage = await open(handlers);
    const nowMs = stage.pulse.nowMs();
    const [one, other] = await plantListed(stage.stores.table, stage.actor().engine, [
      nowMs - 9 * MINUTE_MS,
      nowMs - 8 * MINUTE_MS,
    ]);
    const sick = stage.actor();
    failing(sick, (pk) => pk === invocationPk("", one!));
    await stage.pulse.within(0, sweepOnce(sick.engine));
    expect(wokenBy(sick)).toEqual([other]);
    await stage.pulse.pass(EVERY_MS);
    const well = stage.actor();
    await stage.pulse.within(0, sweepOnce(well.engine));
    expect(wokenBy(well)).toEqual([one]);
  });

  test("is not skipped if the table itself cannot be read", async () => {
    const stage = await open(handlers);
    const nowMs = stage.pulse.nowMs();
    const ids = await plantListed(
      stage.stores.table,
      stage.actor().engine,
      numbers(90).map((at) => nowMs - 10 * MINUTE_MS + at),
    );
    const sick = stage.actor();
    failing(sick, () => true);
    expect(await stage.pulse.within(0, sweepOnce(sick.engine))).toMatchObject({ woken: 0, unfinished: true });
    // The sweeper gave up before it had tried all entries.
    expect(sick.process.calls.filter(({ method }) => method === "query").length).toBeLessThan(50);
    await stage.pulse.pass(EVERY_MS);
    const well = stage.actor();
    expect(await stage.pulse.within(0, sweepOnce(well.engine))).toEqual({ woken: 90, extended: 0 });
    expect(new Set(wokenBy(well))).toEqual(new Set(ids));
  });

  test("is given up after twenty tries, with a log line, because the memory for such entries is bounded", async () => {
    const stage = await open(handlers);
    const [id] = await plantListed(stage.stores.table, stage.actor().engine, [stage.pulse.nowMs() - 9 * MINUTE_MS]);
    const tries: number[] = [];
    let told: unknown;
    for (let pass = 0; pass < 25; pass++) {
      const sick = stage.actor();
      failing(sick, () => true);
      await stage.pulse.within(0, sweepOnce(sick.engine));
      tries.push(
        sick.process.calls.filter(({ method, args: [pk] }) => method === "query" && pk === `inv#${id}`).length,
      );
      told ??= sick.log.lines.find(({ event }) => event === "sweeper.look-abandoned")?.fields["invocationId"];
      await stage.pulse.pass(EVERY_MS);
    }
    expect(tries).toEqual([...numbers(20).map(() => 1), ...numbers(5).map(() => 0)]);
    expect(told).toBe(id);
  });
});
