/** Rules are tried on the invocations that are stored: by scope and limit key, within a time, and without a write. */
import { expect, test } from "vitest";
import { parseRate, type Limits } from "../../../shared/core/limits/rule.ts";
import type { LimitKey, Scope } from "../../../shared/core/model/scope.ts";
import { tryRulesOnPast } from "../../../shared/engine/query/rule-trial.ts";
import { listRules } from "../../../shared/engine/register/rules.ts";
import { type Actor, sendOn, submission } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;

/** The work of each of the handlers' invocations takes 100 ms; in each scope three begin at once. */
async function played() {
  const ends: (() => void)[] = [];
  const stage = await open({
    works: () => new Promise<string>((end) => ends.push(() => end("done"))),
    waits: (ctx) => ctx.get(ctx.sleep(4_000_000_000_000)),
  });
  const actor = stage.actor();
  actor.startWorker();
  const sendIn = (scope: string | undefined, limitKey?: string, handler = "works") => {
    const target = { ...submission(handler).target, ...(scope !== undefined && { scope: scope as Scope }) };
    return sendOn(actor, handler, "", { target, ...(limitKey !== undefined && { limitKey: limitKey as LimitKey }) });
  };
  for (const scope of ["acme", "best", undefined])
    for (const limitKey of ["gold", "gold", "free"]) await sendIn(scope, scope && limitKey);
  await stage.pulse.settle();
  await stage.pulse.pass(100);
  for (const end of ends) end();
  await stage.pulse.settle();
  return { stage, actor, sendIn };
}

async function trial(actor: Actor, pattern: string, limits: Limits = { concurrency: 1 }, overMs = HOUR_MS) {
  const { trials, ...read } = await tryRulesOnPast(actor.engine, [{ pattern, limits }], overMs);
  return { ...trials[0], ...read };
}

test("a trial counts who would have waited, and loads only what the rule may count", async () => {
  const { actor } = await played();
  expect(await trial(actor, "acme")).toMatchObject({ considered: 9, read: 3, complete: true, matched: 3, heldBack: 2 });
  expect(await trial(actor, "*")).toMatchObject({ considered: 9, read: 6, matched: 6, heldBack: 4 });
  expect(await trial(actor, "acme/*")).toMatchObject({ read: 3, matched: 3, heldBack: 1 });
  expect(await trial(actor, "*/free")).toMatchObject({ read: 6, matched: 2, heldBack: 0 });
  expect(await trial(actor, "service:S", { concurrency: 5 })).toMatchObject({ read: 9, matched: 9, heldBack: 4 });
  expect(await trial(actor, "handler:S/other")).toMatchObject({ considered: 9, read: 0, matched: 0, heldBack: 0 });
  const rate = parseRate("1/1h", 4);
  if (typeof rate === "string") throw new Error(rate);
  expect(await trial(actor, "global:all", { rate })).toMatchObject({ matched: 9, heldBack: 5 });
  expect((await trial(actor, "acme")).longestWaitMs).toBeGreaterThanOrEqual(100);
  expect(await listRules(actor.engine)).toEqual([]);
});

test("a trial considers only the time that it is asked for", async () => {
  const { stage, actor, sendIn } = await played();
  await stage.pulse.pass(2 * HOUR_MS);
  await sendIn("acme");
  await stage.pulse.settle();
  expect(await trial(actor, "acme")).toMatchObject({ considered: 1, matched: 1, heldBack: 0 });
  expect(await trial(actor, "acme", { concurrency: 1 }, 3 * HOUR_MS)).toMatchObject({ considered: 10, matched: 4 });
});

test("a suspended invocation holds no place in a trial", async () => {
  const { stage, actor, sendIn } = await played();
  for (let at = 0; at < 2; at++) {
    await sendIn("naps", undefined, "waits");
    await stage.pulse.pass(1_000);
  }
  expect(await trial(actor, "naps")).toMatchObject({ matched: 2, heldBack: 0 });
});
