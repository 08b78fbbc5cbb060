/** The reach of a kill: it ends the calls that the killed invocation itself began and still awaits, and nothing else. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import { sendWake } from "../../../shared/engine/messaging/wake.ts";
import type { Queue } from "../../../shared/engine/ports/queue.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { sendOn, textOf, type Actor, type Stage } from "../../harness/engine/engine-fixture.ts";
import { keyed, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { putOf, readOfSubscriptions } from "../../harness/engine/named-calls.ts";

const open = stages();
const MINUTE_MS = 60_000;
const KEY = { idempotencyKey: "k" };

const waits: Handler = (ctx) => ctx.get(ctx.awakeable().result);
const handlers: Record<string, Handler> = {
  waits,
  run: waits,
  quick: () => "ok",
  sends: async (ctx) => {
    ctx.send("waits", "", KEY);
    return await ctx.get(ctx.awakeable().result);
  },
  calls: (ctx) => ctx.get(ctx.call("waits")),
  callsKeyed: (ctx) => ctx.get(ctx.call("waits", "", KEY)),
  callsRun: async (ctx) => {
    const failed = await ctx.get(ctx.call("run", "", { service: "W", key: "w" })).catch((error: unknown) => {
      if (error instanceof TerminalError) return error.message;
      throw error;
    });
    return `${failed}, then ${await ctx.get(ctx.awakeable().result)}`;
  },
};

async function played(more: Record<string, Handler> = {}): Promise<{ stage: Stage; actor: Actor }> {
  const settings = { services: [workflowOf()], idempotencyRetentionMs: MINUTE_MS, journalRetentionMs: MINUTE_MS };
  const stage = await open({ ...handlers, ...more }, settings);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor };
}

async function begun({ pulse }: Stage, actor: Actor, handler: string): Promise<InvocationId> {
  const { invocationId } = await sendOn(actor, handler);
  await pulse.pass(1_000);
  return invocationId;
}

async function killed({ pulse }: Stage, actor: Actor, id: InvocationId): Promise<void> {
  expect(await pulse.within(1_000, kill(actor.engine, id))).toBe("done");
  await pulse.pass(5_000);
}

async function endOf({ engine }: Actor, id: InvocationId): Promise<string> {
  const end = await output(engine, id);
  return end.kind === "ended" ? textOf(end) : end.kind;
}

test.each(["sends", "callsKeyed"])(
  "a kill does not end an invocation that already existed under the key which the killed handler %s uses",
  async (handler) => {
    const { stage, actor } = await played();
    const stranger = await sendOn(actor, "waits", "", KEY);
    await stage.pulse.pass(1_000);
    await killed(stage, actor, await begun(stage, actor, handler));
    expect(await endOf(actor, stranger.invocationId)).toBe("open");
  },
);

test("a kill does not end the run of a workflow that already ran when the killed invocation tried to start it", async () => {
  const { stage, actor } = await played();
  await sendKeyed(actor, keyed("W", "w", "run"));
  await stage.pulse.pass(1_000);
  await killed(stage, actor, await begun(stage, actor, "callsRun"));
  expect(await endOf(actor, workflowId(actor.engine, { service: "W", key: "w" }))).toBe("open");
});

test("a kill does not end a later life under the key of a call that was answered", async () => {
  const { stage, actor } = await played({
    asks: async (ctx) => {
      await ctx.get(ctx.call("quick", "", KEY));
      return await ctx.get(ctx.awakeable().result);
    },
    quick: (ctx) => (ctx.input === "" ? "ok" : ctx.get(ctx.awakeable().result)),
  });
  const parent = await begun(stage, actor, "asks");
  await stage.pulse.pass(2 * MINUTE_MS);
  const later = await sendOn(actor, "quick", "slow", KEY);
  expect(later.status).toBe("accepted");
  await stage.pulse.pass(1_000);
  await killed(stage, actor, parent);
  expect(await endOf(actor, later.invocationId)).toBe("open");
});

test("a kill ends a keyed call that the killed invocation itself began, although another caller waits for the call", async () => {
  const { stage, actor } = await played();
  const first = await begun(stage, actor, "callsKeyed");
  const second = await begun(stage, actor, "callsKeyed");
  await killed(stage, actor, first);
  expect(await endOf(actor, second)).toBe("409 killed");
});

test("if a killer dies before it orders the kill of a call, the call is killed by a redo; a second redo changes nothing", async () => {
  const { stage, actor } = await played();
  const parent = await begun(stage, actor, "calls");
  const child = stage.deployment.of("waits")[0]!.start.debugId as InvocationId;
  await actor.stopWorker();
  const killer = stage.actor();
  crashBefore(
    killer,
    putOf(/^arr#.+#kill$/, ({ pk }) => pk === `inv#${child}`),
  );
  void kill(killer.engine, parent);
  await stage.pulse.pass(1_000);
  const next = stage.actor();
  next.startWorker();
  for (const _ of ["first redo", "second redo"]) {
    await sendWake(next.engine, { id: parent }, 0);
    await stage.pulse.pass(5_000);
    expect(await endOf(next, child)).toBe("409 killed");
  }
});

test("the sweeper delivers a lost kill order to a child, but not to an invocation that existed before the call", async () => {
  const { stage, actor } = await played();
  const stranger = await sendOn(actor, "waits", "", KEY);
  await stage.pulse.pass(1_000);
  const [parent, meets] = [await begun(stage, actor, "calls"), await begun(stage, actor, "callsKeyed")];
  const child = stage.deployment.of("waits").at(-1)!.start.debugId as InvocationId;
  expect(child).not.toBe(stranger.invocationId);
  await actor.stopWorker();
  for (const id of [parent, meets]) {
    const killer = stage.actor();
    // The killer dies after the final segment is written, and its message is lost.
    crashBefore(killer, readOfSubscriptions);
    const queue = { send: () => Promise.resolve({}) } as unknown as Queue;
    void kill({ ...killer.engine, queue }, id);
    await stage.pulse.pass(1_000);
  }
  await stage.pulse.pass(6 * MINUTE_MS);
  const sweeper = stage.actor();
  sweeper.startWorker();
  await stage.pulse.within(5_000, sweepOnce(sweeper.engine));
  await stage.pulse.pass(5_000);
  expect(await endOf(sweeper, child)).not.toBe("open");
  expect(await endOf(sweeper, stranger.invocationId)).toBe("open");
});
