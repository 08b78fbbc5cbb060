/**
 * Tests an invocation that ends every process that reads it: the sweeper stops reading it, and still looks at the others and
 * extends their time to live.
 */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { invocationPk, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, LEASE_MS, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PASS_EVERY_MS = 5 * MINUTE_MS;

function poisoned({ process, die }: Actor, id: InvocationId, onDeath: () => void): void {
  process.before = ({ port, method, args }) => {
    if (port !== "table" || method !== "query" || args[0] !== invocationPk("", id)) return undefined;
    onDeath();
    die();
    return new Promise(() => undefined);
  };
}

/**
 * Makes each pass in a new process, which dies when the process reads the invocation.
 * @returns the number of deaths, and the woken ids
 */
async function passes(stage: Stage, poison: InvocationId, count: number, everyMs = PASS_EVERY_MS) {
  let deaths = 0;
  const woken: InvocationId[] = [];
  for (let pass = 0; pass < count; pass++) {
    const sweeper = stage.actor();
    poisoned(sweeper, poison, () => deaths++);
    void sweepOnce(sweeper.engine);
    await stage.pulse.pass(everyMs);
    woken.push(...wokenBy(sweeper));
  }
  return { deaths, woken };
}

test.each(["in the open index", "in the listing"])(
  "a deadly invocation %s costs two passes, and the others are all woken",
  async (where) => {
    const naps = (ms: number) => String(stage.pulse.nowMs() + ms);
    const stage: Stage = await open({ naps: (ctx) => ctx.get(ctx.sleep(Number(ctx.input))) });
    const worker = stage.actor();
    if (where === "in the open index") worker.startWorker();
    const sent = [];
    for (let count = 0; count < 20; count++)
      sent.push((await sendOn(worker, "naps", naps(10 * MINUTE_MS))).invocationId);
    await stage.pulse.pass(LEASE_MS);
    await stage.pulse.within(2 * LEASE_MS, worker.stopWorker());
    await stage.pulse.pass(10 * MINUTE_MS);
    await stage.wipeHints();
    const poison = sent[3]!;
    const { deaths, woken } = await passes(stage, poison, 8);
    expect(deaths).toBe(2);
    // The sweeper also wakes the deadly invocation. That message would fail in every worker, and end in the dead-letter queue.
    expect(new Set(woken)).toEqual(new Set(sent));
  },
);

test("while one invocation is deadly, the sweeper still extends the time to live of another, which sleeps", async () => {
  const stage = await open({
    naps: (ctx) => ctx.get(ctx.sleep(Number(ctx.input))),
    big: (ctx) => ctx.get(ctx.awakeable().result),
  });
  const worker = stage.actor();
  worker.startWorker();
  const sleeper = await sendOn(worker, "naps", String(stage.pulse.nowMs() + 60 * DAY_MS));
  const poison = await sendOn(worker, "big");
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, worker.stopWorker());
  const { deaths } = await passes(stage, poison.invocationId, 120, DAY_MS / 4);
  // Once a day, the sweeper tries again both to look at the deadly invocation and to extend its time to live. Each of these
  // two tries costs at most two deaths of a process.
  expect(deaths).toBeLessThanOrEqual(4 * 31);
  const table = stage.stores.table as EmbeddedTable;
  await stage.pulse.during(table.sweepExpired(stage.pulse.nowMs() / 1000, 1_000));
  expect(await inspect(worker.engine, sleeper.invocationId)).toMatchObject({ status: "suspended" });
});

test("a pass that ends normally leaves no record that slows down the next one", async () => {
  const stage = await open({ work: () => "done" });
  const sweeper = stage.actor();
  await stage.pulse.within(1_000, sweepOnce(sweeper.engine));
  const { items } = await stage.stores.table.query(sweeperPk(""));
  expect(items.map(({ sk }) => sk)).toEqual(["listed"]);
});
