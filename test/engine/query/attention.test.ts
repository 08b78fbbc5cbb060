/** Tests what the overview reads: the counts of open invocations, and the invocations that need an operator most. */
import { expect, test } from "vitest";
import { circuitName } from "../../../shared/core/model/circuit.ts";
import { attention } from "../../../shared/engine/query/attention.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { waitsOfRows } from "../../../shared/engine/query/waits-for.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { plantOpen } from "../../harness/engine/planted.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { narrowed } from "../../harness/engine/narrowed.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FAR_MS = 4_000_000_000_000;

const naps: Handler = async (ctx) => {
  await ctx.get(ctx.sleep(FAR_MS));
  return "slept";
};
const awaits: Handler = async (ctx) => await ctx.get(ctx.awakeable().result);
const pauses: Handler = () => {
  throw new AttemptFails("hold it", { behavior: 1 });
};
const stumbles: Handler = () => {
  throw new Error("never well");
};
const runs: Handler = () => new Promise(() => {});

const kindsOf = async ({ engine }: Actor) =>
  (await attention(engine)).rows.map(({ kind, row }) => `${kind} ${row.handler}`);

test("paused invocations come before failing ones, and a sleeping one needs no operator", async () => {
  const retry = { initialIntervalMs: 20 * HOUR_MS, maxIntervalMs: 20 * HOUR_MS };
  const stage = await open({ naps, pauses, stumbles }, { retry });
  const actor = stage.actor();
  actor.startWorker();
  for (const handler of ["naps", "stumbles", "pauses"]) await sendOn(actor, handler);
  await stage.pulse.pass(1_000);
  expect(await kindsOf(actor)).toEqual(["paused pauses", "failing stumbles"]);
  const { census } = await attention(actor.engine);
  expect(Object.fromEntries(census.counts)).toMatchObject({ paused: 1, "backing-off": 1, suspended: 1 });
  expect([...census.services.all]).toEqual([["S", { open: 3, failing: 1, paused: 1 }]]);
  await stage.pulse.pass(2 * HOUR_MS);
  expect(await kindsOf(actor)).not.toContain("waiting naps");
});

test("a wait that does not end by itself at a known moment needs an operator after an hour", async () => {
  const stage = await open({ awaits });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "awaits");
  await stage.pulse.pass(MINUTE_MS);
  expect(await kindsOf(actor)).toEqual([]);
  for (let quarters = 0; quarters < 4; quarters++) {
    await stage.pulse.pass(HOUR_MS / 4);
    await stage.pulse.within(MINUTE_MS, sweep(actor.engine, stage.pulse.nowMs()));
  }
  const { rows } = await attention(actor.engine);
  expect(rows).toMatchObject([{ kind: "waiting", waitsFor: [{ kind: "awakeable" }] }]);
});

test("a handler that has sent nothing for more than a minute is silent", async () => {
  const stage = await open({ runs });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "runs");
  await stage.pulse.pass(30_000);
  expect(await kindsOf(actor)).toEqual([]);
  await stage.pulse.pass(2 * MINUTE_MS);
  expect(await kindsOf(actor)).toEqual(["silent runs"]);
});

test("behind an open circuit, invocations fail and are not overdue: a driver takes each, and puts it back", async () => {
  const stage = await open({ stumbles }, { retry: { initialIntervalMs: 100, maxIntervalMs: 1_000, factor: 1 } });
  const actor = stage.actor();
  actor.startWorker();
  for (let at = 0; at < 60; at++) await stage.pulse.within(0, sendOn(actor, "stumbles"));
  await stage.pulse.pass(6 * MINUTE_MS);
  expect(actor.engine.registry.circuits().size).toBe(1);
  const { census, rows } = await stage.pulse.within(60_000, attention(actor.engine));
  expect(census.suspected.get("overdue") ?? 0).toBe(0);
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(["failing"]));
  for (const { waitsFor } of rows) expect(waitsFor.some(({ kind }) => kind === "circuit")).toBe(true);
});

test("of thousands of overdue invocations, each is counted, and only a few are read", async () => {
  const stage = await open({ naps });
  const actor = stage.actor();
  const lookAtMs = stage.pulse.nowMs() - 20 * MINUTE_MS;
  await plantOpen(
    actor.engine.table,
    actor.engine,
    Array.from({ length: 2_000 }, () => ({ status: "suspended", lookAtMs }) as const),
  );
  const { census, rows } = await stage.pulse.within(60_000, attention(actor.engine));
  expect([census.counts.get("suspended"), census.suspected.get("overdue"), rows.length]).toEqual([2_000, 2_000, 12]);
});

test("a list with bounds on the moment of acceptance has only the invocations that were accepted within the bounds", async () => {
  const stage = await open({ naps });
  const actor = stage.actor();
  actor.startWorker();
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) {
    ids.push((await sendOn(actor, "naps")).invocationId);
    await stage.pulse.pass(HOUR_MS);
  }
  const middle = stage.pulse.nowMs() - 2 * HOUR_MS;
  const listed = async (created: { fromMs?: number; toMs?: number }) =>
    (await listInvocations(actor.engine, narrowed({ created_at: created }), { limit: 10 })).invocations.map(
      ({ id }) => id,
    );
  const around = { fromMs: middle - 30 * MINUTE_MS, toMs: middle + 30 * MINUTE_MS };
  expect(await listed(around)).toEqual([ids[1]]);
  expect(await listed({ fromMs: around.fromMs })).toEqual([ids[2], ids[1]]);
  expect(await listed({ toMs: around.toMs })).toEqual([ids[1], ids[0]]);
  const parked = await listInvocations(actor.engine, narrowed({ status: ["suspended"], created_at: around }), {
    limit: 10,
  });
  expect(parked.invocations.map(({ id }) => id)).toEqual([ids[1]]);
});

test("the rows of a page can say what each open invocation waits for", async () => {
  const stage = await open({ naps, awaits });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: nap } = await sendOn(actor, "naps");
  await stage.pulse.pass(1_000);
  const { invocations } = await listInvocations(actor.engine, new Map(), { limit: 10 });
  const waits = await waitsOfRows(actor.engine, invocations);
  expect(waits.get(nap)).toMatchObject([{ kind: "timer", untilMs: FAR_MS }]);
});

test("stuck invocations are grouped by handler and cause, and a count says among how many it was taken", async () => {
  let failed = 0;
  const refuses: Handler = () => {
    const message = failed < 4 ? `no such customer ${failed}` : "card declined";
    failed++;
    throw new AttemptFails(message, { behavior: 1 });
  };
  const retry = { initialIntervalMs: 20 * HOUR_MS, maxIntervalMs: 20 * HOUR_MS };
  const stage = await open({ refuses, stumbles }, { retry });
  const actor = stage.actor();
  actor.startWorker();
  for (let at = 0; at < 6; at++) await sendOn(actor, "refuses");
  await sendOn(actor, "stumbles");
  await stage.pulse.pass(2_000);
  const { causes } = await attention(actor.engine);
  expect(causes).toMatchObject([
    {
      kind: "paused",
      handler: "refuses",
      cause: { text: "RT0007 no such customer …" },
      count: 4,
      lookedAt: 6,
      among: 6,
    },
    { kind: "paused", handler: "refuses", cause: { text: "RT0007 card declined" }, count: 2, lookedAt: 6, among: 6 },
    { kind: "failing", handler: "stumbles", cause: { text: "RT0007 never well" }, count: 1, lookedAt: 1, among: 1 },
  ]);
});

test("invocations that an open circuit holds back are counted there, and are no group of their own", async () => {
  const retry = { initialIntervalMs: 20 * HOUR_MS, maxIntervalMs: 20 * HOUR_MS };
  const stage = await open({ stumbles }, { retry });
  const actor = stage.actor();
  actor.startWorker();
  await sendOn(actor, "stumbles");
  await stage.pulse.pass(1_000);
  const [deployment] = await actor.engine.registry.deployments();
  const sinceMs = stage.pulse.nowMs();
  const circuit = { deploymentId: deployment!.id, service: "S", sinceMs, untilMs: sinceMs + HOUR_MS, pauseMs: HOUR_MS };
  await actor.engine.registry.setCircuit({ ...circuit, reason: "RT0010: refused" }, undefined);
  const { causes, census } = await attention(actor.engine);
  expect([causes, [...census.failing.held]]).toEqual([[], [[circuitName(circuit), 1]]]);
});
