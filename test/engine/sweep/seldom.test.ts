/**
 * Tests the checks of invocations that wait without a timer: they become rare, and still find an arrival whose wake was lost.
 */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { runSweeper } from "../../../shared/engine/sweep/sweep.ts";
import type { Update } from "../../../shared/engine/ports/table.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function waiting() {
  const stage = await open({ waits: async (ctx) => `heard ${await ctx.get(ctx.awakeable().result)}` });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.pass(LEASE_MS);
  return { stage, actor, invocationId };
}

test("the time to the next check of an invocation without a timer is a quarter of its wait so far, at least ten minutes and at most a day, and no check wakes the invocation", async () => {
  const { stage, actor } = await waiting();
  void runSweeper(actor.engine, new AbortController().signal, 10 * MINUTE_MS);
  const [woken, attempts] = [wokenBy(actor).length, stage.deployment.attempts.length];
  const isPostponement = ({ method, args }: PortCall) =>
    method === "update" && (args[1] as Update).set?.["lookAtMs"] !== undefined;
  const looks = async (ms: number): Promise<number> => {
    const before = actor.process.calls.filter(isPostponement).length;
    await stage.pulse.pass(ms);
    return actor.process.calls.filter(isPostponement).length - before;
  };
  const [first, ofDay] = [await looks(41 * MINUTE_MS), await looks(DAY_MS - 41 * MINUTE_MS)];
  expect(first).toBeGreaterThanOrEqual(3);
  // With one look every ten minutes, there would be about 140 looks.
  expect(ofDay).toBeLessThan(20);
  await stage.pulse.pass(4 * DAY_MS);
  const later = await looks(3 * DAY_MS);
  expect(later).toBeGreaterThanOrEqual(2);
  expect(later).toBeLessThanOrEqual(3);
  expect([wokenBy(actor).length, stage.deployment.attempts.length]).toEqual([woken, attempts]);
});

test("a signal whose wake was lost is found within a quarter of the time that the invocation has waited", async () => {
  const { stage, invocationId } = await waiting();
  const telling = stage.actor();
  void runSweeper(telling.engine, new AbortController().signal, 5 * MINUTE_MS);
  await stage.pulse.pass(8 * HOUR_MS);
  telling.process.before = ({ port, method }) =>
    port === "queue" && method === "send" ? Promise.reject(new Error("it is lost")) : undefined;
  const value = { kind: "success" as const, value: new TextEncoder().encode("it") };
  await deliverSignal(telling.engine, invocationId, "s17", { index: 17 }, value).catch(() => undefined);
  // The same sweeper has run during the whole wait. A newly started sweeper would read the arrivals in its first walk, and so
  // find the signal early.
  telling.process.before = undefined;
  const ended = await stage.pulse.within(2 * HOUR_MS + 10 * MINUTE_MS, attach(telling.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("heard it");
});
