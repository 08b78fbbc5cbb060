/** The sweeper: unreadable entries, backlogs, the walk over everything, and lost cancels (I8). */
import { expect, test } from "vitest";
import { invocationPk, openKeys, openPk } from "../../../shared/engine/store/item-keys.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { recover, runSweeper, sweep, sweepAll, sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { READS_MAX } from "../../../shared/engine/sweep/counts.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const CHECKED_MS = 600_000;
const DAY_MS = 86_400_000;

test("invocations that cannot be read do not keep the sweeper from the others", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const sent = [];
  for (let count = 0; count < 12; count++) sent.push(await sendOn(actor, "wait"));
  await stage.pulse.pass(LEASE_MS);
  for (const { invocationId } of sent.slice(1)) {
    const pk = invocationPk("", invocationId);
    const { items } = await stage.stores.table.query(pk, { from: "seg#" });
    await stage.stores.table.put({ ...items.at(-1)!, b: new Uint8Array([99, 0, 0]) });
  }
  await stage.pulse.pass(CHECKED_MS + 1);
  expect(await stage.pulse.within(1_000, sweep(actor.engine, stage.pulse.nowMs()))).toMatchObject({ postponed: 1 });
  expect(await stage.pulse.within(1_000, recover(stage.actor().engine))).toBeLessThanOrEqual(1);
});

test("a backlog gets one message for each invocation that is due, however many passes there are", async () => {
  const stage = await open({ naps: (ctx) => ctx.get(ctx.sleep(stage.pulse.nowMs() + CHECKED_MS)) });
  const [first, sweeper] = [stage.actor(), stage.actor()];
  first.startWorker();
  for (let count = 0; count < 5; count++) await sendOn(first, "naps");
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, first.stopWorker());
  await stage.pulse.pass(CHECKED_MS);
  const woken = [];
  for (let minute = 0; minute < 4; minute++) {
    woken.push((await stage.pulse.within(1_000, sweep(sweeper.engine, stage.pulse.nowMs()))).woken);
    await stage.pulse.pass(60_000);
  }
  expect(woken).toEqual([5, 0, 0, 0]);
  // A message counts as lost when no worker receives it for half an interval of checks.
  await stage.pulse.pass(CHECKED_MS / 2);
  expect((await stage.pulse.within(1_000, sweep(sweeper.engine, stage.pulse.nowMs()))).woken).toBe(5);
});

test.each([
  [
    "if the walk over everything takes six seconds, it comes every ten minutes, and the other passes look at due invocations",
    6_000,
    2,
  ],
  ["if the walk over everything takes half a second, every pass makes the walk", 500, 20],
])("%s", async (_, walkMs, times) => {
  const count = 10;
  const stage = await open({});
  const actor = stage.actor();
  const lookAtMs = stage.pulse.nowMs() + DAY_MS;
  const entry = { sk: "hold#n", status: "suspended", lookAtMs, keepUntilS: lookAtMs };
  for (let at = 0; at < count; at++) {
    const id = at.toString(36).padStart(8, "0") as InvocationId;
    void stage.stores.table.put({ pk: invocationPk("", id), ...openKeys({ keyPrefix: "" }, id, lookAtMs), ...entry });
  }
  const stopping = new AbortController();
  actor.process.before = ({ method, args }) =>
    method === "queryIndex" && args[0] === "open" && (args[2] as { below?: string }).below === undefined
      ? stage.pulse.sleep(walkMs).then(() => undefined)
      : undefined;
  void runSweeper(actor.engine, stopping.signal);
  await stage.pulse.pass(20 * 60_500);
  stopping.abort();
  const ranges = actor.process.calls
    .filter(({ method, args }) => method === "queryIndex" && args[0] === "open" && args[1] === openPk("", 1))
    .map(({ args }) => (args[2] as { below?: string }).below);
  expect(ranges.length).toBeGreaterThanOrEqual(18);
  expect(ranges.filter((below) => below === undefined)).toHaveLength(times);
});

test("the walk over everything finds an invocation whose driver died, although its next look is far ahead", async () => {
  const stage = await open({
    wait: async (ctx) => {
      await ctx.race(ctx.awakeable().result, ctx.sleep(Number(ctx.input)));
      if (stage.deployment.attempts.length === 2) await new Promise(() => undefined);
      return "done";
    },
  });
  const first = stage.actor();
  first.startWorker();
  const { invocationId } = await sendOn(first, "wait", String(stage.pulse.nowMs() + 30 * 86_400_000));
  // After this time the sweeper no longer looks at the entry in the listing.
  await stage.pulse.pass(30 * 60_000);
  void deliverSignal(first.engine, invocationId, "s17", { index: 17 }, { kind: "success", value: new Uint8Array(1) });
  await stage.pulse.pass(100);
  expect(stage.deployment.attempts).toHaveLength(2);
  // The message of the driver is lost too: the next worker gets only messages of the sweeper.
  await stage.wipeHints();
  const sweeper = stage.actor();
  sweeper.startWorker();
  void runSweeper(sweeper.engine, new AbortController().signal);
  const ended = await stage.pulse.within(11 * 60_000, attach(sweeper.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("done");
});

async function lostCancel() {
  const stage = await open({ naps: (ctx) => ctx.get(ctx.sleep(Number(ctx.input))) });
  const actor = stage.actor();
  actor.startWorker();
  const far = String(stage.pulse.nowMs() + 30 * DAY_MS);
  const [{ invocationId }, other] = [await sendOn(actor, "naps", far), await sendOn(actor, "naps", far)];
  await stage.pulse.pass(2 * DAY_MS);
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  expect(await stage.pulse.within(1_000, cancel(actor.engine, invocationId))).toBe("noted");
  await stage.wipeHints();
  const sweeper = stage.actor();
  sweeper.startWorker();
  return { stage, sweeper, invocationId, other: other.invocationId };
}

test("if a cancel's wake is lost, a walk over everything finds the cancel before the invocation's age doubles", async () => {
  const { stage, sweeper, invocationId, other } = await lostCancel();
  void runSweeper(sweeper.engine, new AbortController().signal);
  const attempts = stage.deployment.attempts.length;
  const ended = await stage.pulse.within(2 * DAY_MS, attach(sweeper.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 Cancelled");
  // The other invocation, without an arrival, is read now and then, and never woken.
  expect(stage.deployment.attempts.length).toBe(attempts + 1);
  expect(await output(sweeper.engine, other)).toEqual({ kind: "open" });
});

test("of many invocations that were accepted together, each walk reads a part, until all have been read", async () => {
  const stage = await open({});
  const { engine, process } = stage.actor();
  const createdAtMs = stage.pulse.nowMs();
  const lookAtMs = createdAtMs + 30 * DAY_MS;
  const entry = { sk: "hold#n", status: "suspended", createdAtMs, lookAtMs, keepUntilS: lookAtMs };
  const ids = Array.from({ length: 1.5 * READS_MAX }, (_, at) => at.toString(36).padStart(8, "0") as InvocationId);
  for (const id of ids) {
    const keys = openKeys({ keyPrefix: "", indexShards: 1 }, id, lookAtMs);
    void stage.stores.table.put({ pk: invocationPk("", id), ...keys, ...entry });
  }
  await stage.pulse.pass(1_000);
  const readsOfWalks: number[] = [];
  for (let walk = 0; walk < 8; walk++) {
    const [walkedAtMs, before] = [stage.pulse.nowMs(), process.calls.length];
    await stage.pulse.pass(CHECKED_MS);
    await stage.pulse.within(60_000, sweep(engine, stage.pulse.nowMs(), "everything", walkedAtMs));
    const partitions = process.calls.slice(before).filter(({ method }) => method === "query");
    readsOfWalks.push(new Set(partitions.map(({ args }) => args[0])).size);
  }
  expect(Math.max(...readsOfWalks)).toBeLessThanOrEqual(READS_MAX);
  const partitions = process.calls.filter(({ method }) => method === "query").map(({ args }) => args[0]);
  expect(new Set(partitions).size).toBe(ids.length);
  // All ages double at the same moment; still, the reads are spread over the walks.
  expect(Math.min(...readsOfWalks)).toBeGreaterThan(0);
  expect(readsOfWalks.at(-1)).toBeLessThan(ids.length / 4);
});

test("if the index does not show the moment of acceptance, an invocation is read whenever the time until its next look has halved", async () => {
  const { stage, sweeper, invocationId, other } = await lostCancel();
  const { table } = stage.stores;
  for (const id of [invocationId, other]) {
    const pk = invocationPk("", id);
    const { items } = await table.query(pk, { from: "hold#", below: "hold$" });
    const { createdAtMs: _, ...former } = items[0]!;
    await table.put(former as (typeof items)[0]);
  }
  let [woken, outcome] = [0, ""];
  for (let walk = 0; walk < 30; walk++) {
    const walkedAtMs = stage.pulse.nowMs();
    await stage.pulse.pass(DAY_MS / 2);
    const report = sweep(sweeper.engine, stage.pulse.nowMs(), "everything", walkedAtMs);
    const wokenNow = (await stage.pulse.within(1_000, report)).woken;
    woken += wokenNow;
    if (wokenNow === 0) continue;
    const ended = await stage.pulse.within(1_000, attach(sweeper.engine, invocationId));
    outcome = ended.kind === "ended" ? textOf(ended) : ended.kind;
  }
  expect([woken, outcome]).toEqual([1, "409 Cancelled"]);
  expect(await output(sweeper.engine, other)).toEqual({ kind: "open" });
});

test("after a loss of messages, `sweepAll` wakes the invocations with arrivals, and no others", async () => {
  const { stage, sweeper, invocationId, other } = await lostCancel();
  const before = sweeper.process.calls.length;
  const { woken } = await stage.pulse.within(1_000, sweepAll(sweeper.engine));
  // The walk over the open index and the walk over the listing may each send a message, because a worker may begin an attempt
  // between the two walks.
  const sends = sweeper.process.calls.slice(before).filter(({ port, method }) => port === "queue" && method === "send");
  const ids = sends.map(({ args }) => (args[0] as Wake).invocationId);
  expect(woken).toBeGreaterThanOrEqual(1);
  expect(woken).toBeLessThanOrEqual(2);
  expect(new Set(ids)).toEqual(new Set([invocationId]));
  const ended = await stage.pulse.within(1_000, attach(sweeper.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("409 Cancelled");
  expect(await output(sweeper.engine, other)).toEqual({ kind: "open" });
});

test("a due lease record of a former life is deleted, and the next life is not woken", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "wait");
  await stage.pulse.pass(LEASE_MS);
  const pk = invocationPk("", invocationId);
  const { items } = await stage.stores.table.query(pk, { from: "hold#", below: "hold$" });
  await stage.stores.table.put({ ...items[0]!, sk: "hold#former", openSk: `0#${invocationId}`, lookAtMs: 0 });
  for (let pass = 0; pass < 2; pass++)
    expect((await stage.pulse.within(1_000, sweep(actor.engine, stage.pulse.nowMs()))).woken).toBe(0);
  const left = await stage.stores.table.query(pk, { from: "hold#", below: "hold$" });
  expect(left.items.map(({ sk }) => sk)).toEqual([items[0]!.sk]);
});

test("the sweeper finds a driverless invocation even if a worker began it just before the look at the listing", async () => {
  const stage = await open({ slow: () => new Gate().passed.then(() => "never") });
  const [front, victim] = [stage.actor(), stage.actor()];
  await sendOn(front, "slow");
  // A backlog: no worker receives the message before the sweeper's one look at the listing is due.
  await stage.pulse.pass(300_000);
  victim.startWorker();
  await stage.pulse.pass(100);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect((await stage.pulse.within(1_000, sweepOnce(front.engine))).woken).toBe(0);
  await stage.wipeHints();
  const sweeper = stage.actor();
  await stage.pulse.pass(LEASE_MS);
  expect((await stage.pulse.within(1_000, sweepOnce(sweeper.engine))).woken).toBe(1);
  sweeper.startWorker();
  await stage.pulse.pass(100);
  expect(stage.deployment.attempts).toHaveLength(2);
});
