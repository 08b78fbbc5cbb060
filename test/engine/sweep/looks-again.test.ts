/** Tests that a walk which passes each entry once forgets no entry whose look failed. */
import { expect, test } from "vitest";
import { DAY_MS } from "../../../shared/core/model/time-units.ts";
import { type Key, StoreError } from "../../../shared/engine/ports/table.ts";
import { recover, runSweeper, sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import { callOn, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { plantListed, plantOpen, wokenBy } from "../../harness/engine/planted.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const throttled = () => Promise.reject(new StoreError("throttled"));

test.each([false, true])(
  "after a restore, a send that its driver left undone is performed; a look fails once: %s",
  async (fails) => {
    const stage = await open({ sends: (ctx) => (ctx.send("sent"), "done"), sent: () => "there" });
    const actor = stage.actor();
    let acceptances = 0;
    actor.process.before = ({ port, method, args }) => {
      const [item] = args as [{ sk?: string }?];
      if (port !== "table" || method !== "put" || item?.sk !== "seg#000000" || acceptances++ === 0) return undefined;
      actor.die();
      return new Promise(() => undefined);
    };
    void callOn(actor, "sends");
    await stage.pulse.pass(1_000);
    await stage.wipeHints();
    await stage.pulse.pass(20 * HOUR_MS);
    const next = stage.actor();
    next.startWorker();
    let failures = fails ? 1 : 0;
    next.process.before = ({ port, method, args }) =>
      port === "table" && method === "get" && (args[0] as Key).pk.startsWith("inv#") && failures-- > 0
        ? throttled()
        : undefined;
    await stage.pulse.within(10_000, sweepAll(next.engine));
    void runSweeper(next.engine, new AbortController().signal);
    await stage.pulse.pass(3 * HOUR_MS);
    await stage.pulse.pass(LEASE_MS);
    expect(stage.deployment.of("sent")).toHaveLength(1);
  },
);

/** Lets queries of the partition of an invocation fail. */
function failing(sweeper: ReturnType<Awaited<ReturnType<typeof open>>["actor"]>, pk: string): void {
  sweeper.process.before = ({ method, args }) => (method === "query" && args[0] === pk ? throttled() : undefined);
}

test.each(["open index", "listing"] as const)(
  "an order to look at everything keeps an entry of the %s whose look failed, until a later pass has looked at it",
  async (index) => {
    const stage = await open({ waits: () => "done" });
    const nowMs = stage.pulse.nowMs();
    const planting = stage.actor().engine;
    const [id] =
      index === "listing"
        ? await plantListed(stage.stores.table, planting, [nowMs - 3 * DAY_MS])
        : await plantOpen(stage.stores.table, planting, [{ status: "ready", lookAtMs: nowMs + 30 * DAY_MS }]);
    const sick = stage.actor();
    failing(sick, invocationPk("", id!));
    expect(await stage.pulse.within(1_000, sweepAll(sick.engine))).toMatchObject({ woken: 0, unfinished: true });
    await stage.pulse.pass(5 * MINUTE_MS);
    const well = stage.actor();
    await stage.pulse.within(1_000, sweepOnce(well.engine));
    expect(wokenBy(well)).toEqual([id]);
    await stage.pulse.pass(5 * MINUTE_MS);
    expect((await stage.stores.table.query("sweeper")).items.map(({ sk }) => sk)).toEqual(["listed"]);
  },
);

test("an entry of the first millisecond of a day is looked at again, too", async () => {
  const stage = await open({ waits: () => "done" });
  const planting = stage.actor().engine;
  const midnightMs = Math.ceil(stage.pulse.nowMs() / DAY_MS) * DAY_MS;
  const [id] = await plantListed(stage.stores.table, planting, [midnightMs]);
  await stage.pulse.pass(midnightMs + HOUR_MS - stage.pulse.nowMs());
  const sick = stage.actor();
  failing(sick, invocationPk("", id!));
  await stage.pulse.within(1_000, sweepAll(sick.engine));
  const well = stage.actor();
  await stage.pulse.within(1_000, sweepOnce(well.engine));
  expect(wokenBy(well)).toEqual([id]);
});

test("a process that sweeps for itself goes on with an order that a dead process has left", async () => {
  const stage = await open({ waits: () => "done" });
  const [id] = await plantListed(stage.stores.table, stage.actor().engine, [stage.pulse.nowMs() - 3 * DAY_MS]);
  const dying = stage.actor();
  dying.process.before = ({ port, method }) => {
    if (port === "table" && method === "getMany") dying.die();
    return undefined;
  };
  void sweepAll(dying.engine);
  await stage.pulse.pass(10 * MINUTE_MS);
  const next = stage.actor();
  void runSweeper(next.engine, new AbortController().signal);
  await stage.pulse.pass(2 * MINUTE_MS);
  expect(wokenBy(next)).toEqual([id]);
});

test("an invocation that the recovery of a process could not look at is driven on by its sweeper", async () => {
  const stage = await open({ waits: () => "done" });
  const [id] = await plantListed(stage.stores.table, stage.actor().engine, [stage.pulse.nowMs()]);
  const next = stage.actor({ soleOwner: true });
  let failures = 1;
  next.process.before = ({ method, args }) =>
    method === "query" && args[0] === invocationPk("", id!) && failures-- > 0 ? throttled() : undefined;
  next.startWorker();
  void runSweeper(next.engine, new AbortController().signal);
  await stage.pulse.within(1_000, recover(next.engine));
  expect(failures).toBe(0);
  await stage.pulse.pass(10 * MINUTE_MS);
  expect(stage.deployment.of("waits")).toHaveLength(1);
});
