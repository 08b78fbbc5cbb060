/** The sweeper looks once at each entry of the listing: an invocation that is still open is in the open index from then on. */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { Token } from "../../../shared/core/model/ids.ts";
import { invocationPk, openPk } from "../../../shared/engine/store/item-keys.ts";
import { sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn, textOf, type Stage } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { plantListed, wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;

async function inOpenIndex({ stores }: Stage): Promise<readonly string[]> {
  const shards = await Promise.all(
    Array.from({ length: 16 }, (_, shard) => stores.table.queryIndex("open", openPk("", shard), {})),
  );
  return shards.flatMap(({ items }) => items.map(({ pk }) => pk));
}

/** Makes one pass in a new process, which has no memory of earlier passes. @returns the number of invocations that it woke */
async function pass(stage: Stage): Promise<number> {
  return (await stage.pulse.within(1_000, sweepOnce(stage.actor().engine))).woken;
}

test("an invocation whose messages are lost again and again is woken by each pass until a worker takes it", async () => {
  const stage = await open({ late: () => "done" });
  const { invocationId } = await sendOn(stage.actor(), "late");
  let woken = 0;
  for (let passes = 0; passes < 12; passes++) {
    await stage.wipeHints();
    await stage.pulse.pass(EVERY_MS);
    woken += await pass(stage);
  }
  expect(woken).toBeGreaterThanOrEqual(10);
  const worker = stage.actor();
  worker.startWorker();
  const ended = await stage.pulse.within(1_000, attach(worker.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("done");
  await stage.pulse.pass(100);
  expect(await inOpenIndex(stage)).toEqual([]);
});

test("if the sweeper finds a live lease in the acceptance and no lease record, it notes the invocation, and wakes it when the lease is over", async () => {
  const stage = await open({ waits: () => "done" });
  const nowMs = stage.pulse.nowMs();
  const lease = { token: "front.1" as Token, untilMs: nowMs + LEASE_MS };
  const [id] = await plantListed(stage.stores.table, stage.actor().engine, [nowMs - 6 * MINUTE_MS], lease);
  expect(await pass(stage)).toBe(0);
  expect(await inOpenIndex(stage)).toEqual([invocationPk("", id!)]);
  await stage.pulse.pass(LEASE_MS);
  const sweeper = stage.actor();
  expect((await stage.pulse.within(1_000, sweepOnce(sweeper.engine))).woken).toBe(1);
  expect(wokenBy(sweeper)).toEqual([id]);
});

test.each([
  ["ends", async (gate: Gate) => gate.passed.then(() => "done")],
  ["fails, and is tried again", failingOnce()],
])(
  "an invocation %s undisturbed, and leaves the index, although the sweeper notes the invocation while it is driven",
  async (_, slow) => {
    const gate = new Gate();
    const stage = await open({ slow: () => slow(gate) }, { listingAgeMinMs: 1_000 });
    const worker = stage.actor();
    const { invocationId } = await sendOn(worker, "slow");
    // The worker starts late, so its lease is still live at the sweeper's look.
    await stage.pulse.pass(2_000);
    worker.startWorker();
    await stage.pulse.pass(100);
    expect(await pass(stage)).toBe(0);
    expect(await inOpenIndex(stage)).toHaveLength(1);
    gate.open();
    const ended = await stage.pulse.within(LEASE_MS, attach(worker.engine, invocationId));
    expect(ended.kind === "ended" && textOf(ended)).toBe("done");
    await stage.pulse.pass(1_000);
    expect(await inOpenIndex(stage)).toEqual([]);
    expect(worker.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  },
);

function failingOnce(): (gate: Gate) => Promise<string> {
  let attempts = 0;
  return async (gate) => {
    await gate.passed;
    if (++attempts === 1) throw new Error("not yet");
    return "done";
  };
}

test("an order to look at everything also wakes invocations to which this process sent a message a moment ago", async () => {
  const stage = await open({ late: () => "done" });
  await sendOn(stage.actor(), "late");
  await stage.pulse.pass(EVERY_MS + 1);
  const { engine } = stage.actor();
  const woken = async (sweeping: typeof sweepOnce) => (await stage.pulse.within(1_000, sweeping(engine))).woken;
  expect(await woken(sweepOnce)).toBe(1);
  await stage.pulse.pass(MINUTE_MS);
  expect(await woken(sweepOnce)).toBe(0);
  expect(await woken(sweepAll)).toBe(1);
  expect(await woken(sweepOnce)).toBe(0);
});
