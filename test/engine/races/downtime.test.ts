/** Tests that a process which owns its store alone deletes nothing of an open invocation, however long the machine was off. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { noteListing, recover, runSweeper } from "../../../shared/engine/sweep/sweep.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import { type Actor, LEASE_MS, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Starts the worker and the loops as the local process does. */
function startLoops(stage: Stage, actor: Actor): void {
  const { engine, log } = actor;
  const { signal } = new AbortController();
  const table = stage.stores.table as EmbeddedTable;
  const { clock, activeInvocations } = engine;
  void expireItems({ table, clock, log, activeInvocations, everyMs: MINUTE_MS }, signal);
  actor.startWorker();
  void runSweeper(engine, signal);
  void recover(engine);
}

/** Parks invocations that wait for an awakeable, and turns the machine off for a week. */
async function waitersAfterWeek(count: number) {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const first = stage.actor({ soleOwner: true });
  first.startWorker();
  const ids = [];
  for (let at = 0; at < count; at++) ids.push((await sendOn(first, "wait")).invocationId);
  await stage.pulse.pass(LEASE_MS);
  await stage.reboot();
  await stage.pulse.pass(7 * DAY_MS);
  return { stage, ids, next: stage.actor({ soleOwner: true }) };
}

async function expectResumable(
  stage: Stage,
  { engine }: Actor,
  id: Awaited<ReturnType<typeof sendOn>>["invocationId"],
) {
  expect(await inspect(engine, id)).toMatchObject({ status: "suspended" });
  const value = { kind: "success" as const, value: new TextEncoder().encode("still there") };
  await stage.pulse.during(deliverSignal(engine, id, "s17", { index: 17 }, value));
  const ended = await stage.pulse.within(1_000, attach(engine, id));
  expect(ended.kind === "ended" && textOf(ended)).toBe("still there");
}

test.each([true, false])(
  "after a week off, an open invocation keeps its items; the store fails in the first minute: %s",
  async (fails) => {
    const { stage, ids, next } = await waitersAfterWeek(1);
    const beganMs = stage.pulse.nowMs();
    next.process.before = ({ port, method }) => {
      const isWrite = port === "table" && (method === "put" || method === "update");
      return fails && isWrite && stage.pulse.nowMs() - beganMs < 59_000
        ? Promise.reject(new StoreError("no space left on device"))
        : undefined;
    };
    startLoops(stage, next);
    await stage.pulse.pass(HOUR_MS);
    await expectResumable(stage, next, ids[0]!);
  },
);

test("after a week off, open invocations keep their items although the walk that extends them takes many turns", async () => {
  const { stage, ids, next } = await waitersAfterWeek(20);
  next.process.before = ({ port, method }) =>
    port === "table" && method === "update" ? stage.pulse.sleep(20_000).then(() => undefined) : undefined;
  startLoops(stage, next);
  await stage.pulse.pass(HOUR_MS);
  next.process.before = undefined;
  for (const id of ids) expect(await inspect(next.engine, id)).toMatchObject({ status: "suspended" });
  await expectResumable(stage, next, ids.at(-1)!);
});

test.each([5, 40])("a send that was accepted just before the machine went off survives %i days", async (days) => {
  const stage = await open({
    naps: async (ctx) => (await ctx.get(ctx.sleep(Number(ctx.input))), "awake"),
  });
  const first = stage.actor({ soleOwner: true });
  startLoops(stage, first);
  await stage.pulse.pass(HOUR_MS);
  await stage.pulse.within(2 * LEASE_MS, first.stopWorker());
  const { invocationId } = await sendOn(first, "naps", String(stage.pulse.nowMs() + days * DAY_MS + HOUR_MS));
  await stage.reboot();
  await stage.pulse.pass(days * DAY_MS);
  const next = stage.actor({ soleOwner: true });
  startLoops(stage, next);
  await stage.pulse.pass(10 * MINUTE_MS);
  expect(await inspect(next.engine, invocationId)).toMatchObject({ status: "suspended" });
  await stage.pulse.pass(2 * HOUR_MS);
  const ended = await stage.pulse.within(1_000, attach(next.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("awake");
});

test("what the first process of a store accepted before its first pass is found after a month and a half off", async () => {
  const ran: string[] = [];
  const stage = await open({ greet: ({ input }) => (ran.push(input), "hello") });
  const first = stage.actor({ soleOwner: true });
  await stage.pulse.during(noteListing(first.engine));
  first.process.before = ({ port, method }) =>
    port === "queue" && method === "send" ? Promise.reject(new Error("the process dies")) : undefined;
  await expect(sendOn(first, "greet", "old")).rejects.toThrow();
  await stage.reboot();
  await stage.pulse.pass(45 * DAY_MS);
  const next = stage.actor({ soleOwner: true });
  await stage.pulse.during(noteListing(next.engine));
  // Another acceptance comes first, so the recovery does not go back to the old one.
  await sendOn(next, "greet", "new");
  startLoops(stage, next);
  await stage.pulse.pass(10 * MINUTE_MS);
  expect(ran.toSorted()).toEqual(["new", "old"]);
});

test("the result of a send that ends in the first minute after a downtime is kept, and its key runs nothing twice", async () => {
  const stage = await open({ greet: () => "hello" }, { idempotencyRetentionMs: 3 * DAY_MS });
  const first = stage.actor({ soleOwner: true });
  startLoops(stage, first);
  await stage.pulse.pass(HOUR_MS);
  await stage.pulse.within(2 * LEASE_MS, first.stopWorker());
  const { invocationId } = await sendOn(first, "greet", "", { idempotencyKey: "one" });
  await stage.reboot();
  await stage.pulse.pass(8 * DAY_MS);
  const next = stage.actor({ soleOwner: true });
  startLoops(stage, next);
  await stage.pulse.pass(3 * HOUR_MS);
  expect(stage.deployment.of("greet")).toHaveLength(1);
  const ended = await stage.pulse.within(1_000, attach(next.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("hello");
  await sendOn(next, "greet", "", { idempotencyKey: "one" });
  await stage.pulse.pass(MINUTE_MS);
  expect(stage.deployment.of("greet")).toHaveLength(1);
});

test("a walk over the open index lets a process delete only what expired two days after the oldest entry that it could not look at", async () => {
  const stage = await open({ waits: (ctx) => ctx.get(ctx.awakeable().result) });
  const first = stage.actor({ soleOwner: true });
  const { invocationId } = await sendOn(first, "waits");
  const acceptedAtMs = stage.pulse.nowMs();
  const isOfIt = (key: unknown) => String(key).endsWith(invocationId);
  first.process.before = ({ method, args: [pk] }) =>
    method === "query" && isOfIt(pk) ? Promise.reject(new StoreError("not now")) : undefined;
  void runSweeper(first.engine, new AbortController().signal, 30 * MINUTE_MS);
  await stage.pulse.pass(3 * HOUR_MS);
  expect(first.engine.activeInvocations.expirableBeforeMs).toBeLessThanOrEqual(acceptedAtMs + 2 * DAY_MS);
  await stage.pulse.pass(3 * DAY_MS);
  // By then the sweeper has given up the look, and has put the invocation into the open index as it is.
  first.process.before = undefined;
  await stage.pulse.pass(7 * HOUR_MS);
  expect(first.engine.activeInvocations.expirableBeforeMs).toBeGreaterThan(acceptedAtMs + 2 * DAY_MS);
  const { items } = await stage.stores.table.query(`inv#${invocationId}`);
  expect(items.map(({ sk, expiresAtS }) => [sk.slice(0, 4), Number(expiresAtS) * 1000 > stage.pulse.nowMs()])).toEqual([
    ["hold", true],
    ["seg#", true],
  ]);
});
