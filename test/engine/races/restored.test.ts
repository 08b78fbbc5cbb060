/** A restore of the table, without queue and timers (I8). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { currentLife, deliverSignal, writeArrival } from "../../../shared/engine/messaging/deliver.ts";
import { runSweeper, sweepAll } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, callOn, LEASE_MS, type Stage, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { AttemptFails } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const value = { kind: "success" as const, value: new TextEncoder().encode("told") };

/** Starts another process over the restored table, hours later. */
async function restored(stage: Stage): Promise<Actor> {
  await stage.wipeHints();
  await stage.pulse.pass(20 * HOUR_MS);
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(10_000, sweepAll(actor.engine));
  void runSweeper(actor.engine, new AbortController().signal);
  return actor;
}

test("every open invocation ends after a restore of the table without queue and timers", async () => {
  let isBack = false;
  const hangs = () => new Promise<string>(() => undefined);
  const stage = await open({
    driven: async () => (isBack ? "driven" : await hangs()),
    fails: () => {
      if (!isBack) throw new AttemptFails("not yet", { delayMs: 30 * 60_000 });
      return "failed no more";
    },
    sleeps: async (ctx) => `slept ${await ctx.get(ctx.sleep(Number(ctx.input)))}`,
    waits: async (ctx) => await ctx.get(ctx.awakeable().result),
    calls: async (ctx) => `called: ${await ctx.get(ctx.call("waits"))}`,
    greets: () => "hello",
  });
  const [actor, sender] = [stage.actor(), stage.actor()];
  actor.startWorker();
  void callOn(actor, "driven");
  const inHour = String(stage.pulse.nowMs() + 21 * HOUR_MS);
  const ids: Record<string, InvocationId> = {};
  for (const [handler, input] of [["fails"], ["sleeps", inHour], ["waits"], ["calls"]] as const)
    ids[handler] = (await sendOn(actor, handler, input)).invocationId;
  ids["later"] = (await sendOn(actor, "greets", "", { startAtMs: Number(inHour) })).invocationId;
  await stage.pulse.pass(LEASE_MS);
  ids["driven"] = stage.deployment.of("driven")[0]!.start.debugId as InvocationId;
  await stage.pulse.within(LEASE_MS, Promise.resolve(actor.die()));
  // A send that no driver has taken yet, and an arrival without a wake.
  ids["greets"] = (await sendOn(sender, "greets")).invocationId;
  const to = (await currentLife(sender.engine, ids["waits"]!))!;
  await writeArrival(sender.engine, to, {
    key: "s17",
    content: { kind: "notification", id: { index: 17 }, result: value },
  });

  isBack = true;
  const next = await restored(stage);
  await stage.pulse.pass(10_000);
  const child = stage.deployment.of("waits").find(({ start }) => start.debugId !== ids["waits"])!;
  void deliverSignal(next.engine, child.start.debugId as InvocationId, "s17", { index: 17 }, value);
  await stage.pulse.pass(HOUR_MS + 2 * 60_000);
  const ends: Record<string, string> = {};
  for (const [name, id] of Object.entries(ids)) {
    // Polls without waiting, because an attach would wake the invocation.
    const ended = await stage.pulse.within(10, output(next.engine, id));
    ends[name] = ended.kind === "ended" ? textOf(ended) : ended.kind;
  }
  expect(ends).toEqual({
    driven: "driven",
    fails: "failed no more",
    sleeps: "slept ",
    waits: "told",
    calls: "called: told",
    later: "hello",
    greets: "hello",
  });
});

test("a send in a final segment is performed although the driver died right after it wrote that segment", async () => {
  const stage = await open({ sends: (ctx) => (ctx.send("sent"), "done"), sent: () => "there" });
  const actor = stage.actor();
  let segments = 0;
  actor.process.before = ({ port, method, args }) => {
    const [item] = args as [{ sk?: string }?];
    if (port !== "table" || method !== "put" || item?.sk !== "seg#000000" || segments++ === 0) return undefined;
    actor.die();
    return new Promise(() => undefined);
  };
  void callOn(actor, "sends");
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("sent")).toHaveLength(0);
  await restored(stage);
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.of("sent")).toHaveLength(1);
});
