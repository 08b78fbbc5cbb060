/** Awakeables and signals: early, repeated, rejected, for unknown invocations (I3, I7). */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { race } from "../../harness/engine/script-awaits.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const value = (text: string) => ({ kind: "success", value: new TextEncoder().encode(text) }) as const;

const waits: Handler = async (ctx) => `got ${await ctx.get(ctx.awakeable().result)}`;

async function play(handlers: Record<string, Handler>) {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, awakeable: () => encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17) };
}

test("an awakeable that is resolved before it is awaited completes the await at once", async () => {
  const gate = new Gate();
  const { stage, actor, awakeable } = await play({
    waits: async (ctx) => {
      const { result } = ctx.awakeable();
      await gate.passed;
      return `got ${await ctx.get(result)}`;
    },
  });
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  await completeAwakeable(actor.engine, awakeable(), value("early"));
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("only the first completion of an awakeable takes effect", async () => {
  const { stage, actor, awakeable } = await play({ waits });
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  await completeAwakeable(actor.engine, awakeable(), value("first"));
  await completeAwakeable(actor.engine, awakeable(), value("second"));
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got first");
  await completeAwakeable(actor.engine, awakeable(), value("third"));
  await stage.pulse.pass(20_000);
  expect(stage.deployment.attempts).toHaveLength(2);
});

test("a rejected awakeable throws in the handler that awaits it", async () => {
  const { stage, actor, awakeable } = await play({ waits });
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  await completeAwakeable(actor.engine, awakeable(), { kind: "failure", failure: { code: 400, message: "no" } });
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("400 no");
});

test("an awakeable of an unknown invocation costs one write, which expires, and no message", async () => {
  const { stage, actor } = await play({ waits });
  const told = completeAwakeable(actor.engine, encodeAwakeableId(new Uint8Array(24).fill(5), 17), value("lost"));
  await stage.pulse.within(1_000, told);
  const writes = actor.process.calls.filter(({ port, method }) => port === "table" && method !== "get");
  expect(writes.map(({ method }) => method)).toEqual(["put"]);
  const { expiresAtS } = writes[0]!.args[0] as { expiresAtS: number };
  expect(expiresAtS - stage.pulse.nowMs() / 1000).toBeLessThanOrEqual(2 * 86_400 + 1);
  expect(actor.process.methods("queue")).not.toContain("send");
});

test("a process that owns the store alone writes nothing for an awakeable of an unknown invocation", async () => {
  const stage = await open({ waits });
  const actor = stage.actor({ soleOwner: true });
  await stage.pulse.within(
    0,
    completeAwakeable(actor.engine, encodeAwakeableId(new Uint8Array(24).fill(5), 17), value("lost")),
  );
  expect(actor.process.methods("table")).toEqual(["get"]);
});

test("a handler resolves the awakeable of another handler", async () => {
  const { stage, actor, awakeable } = await play({
    waits,
    resolves: (ctx) => (ctx.resolveAwakeable(ctx.input, "a friend"), "done"),
  });
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  await sendOn(actor, "resolves", awakeable());
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got a friend");
});

test("each send of a named signal counts, even if the signals are equal", async () => {
  const { stage, actor } = await play({
    listens: async (ctx) => {
      const first = await ctx.get(ctx.signal("go"));
      const second = await ctx.get(ctx.signal("go"));
      return `${first} and ${second}`;
    },
    sends: (ctx) => (ctx.sendSignal(ctx.input, "go", "hop"), "done"),
  });
  const result = callOn(actor, "listens");
  await stage.pulse.settle();
  const { id } = { id: stage.deployment.attempts[0]!.start.debugId };
  await sendOn(actor, "sends", id);
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("listens")).toHaveLength(2);
  await sendOn(actor, "sends", id);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("hop and hop");
});

test("the signals that a failed attempt stored are not sent again by the next attempt", async () => {
  let tries = 0;
  const { stage, actor } = await play({
    listens: async (ctx) => {
      await ctx.get(ctx.signal("go"));
      await ctx.get(race(ctx.signal("go"), ctx.sleep(stage.pulse.nowMs() + 5_000)));
      return "done";
    },
    sends: (ctx) => {
      ctx.sendSignal(ctx.input, "go", "hop");
      if (tries++ === 0) throw new Error("stumbled");
      return "done";
    },
  });
  void callOn(actor, "listens").catch(() => undefined);
  await stage.pulse.settle();
  await sendOn(actor, "sends", stage.deployment.attempts[0]!.start.debugId);
  await stage.pulse.pass(2_000);
  expect(tries).toBe(2);
  expect(
    stage.deployment
      .of("listens")
      .at(-1)!
      .notifications.filter(({ signalName }) => signalName === "go"),
  ).toHaveLength(1);
});
