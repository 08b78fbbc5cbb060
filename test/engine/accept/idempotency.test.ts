/** Idempotency keys: repeated calls and sends, expiry, and the next life of an id (I7, I12). */
import { expect, test } from "vitest";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { currentLife, writeArrival } from "../../../shared/engine/messaging/deliver.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const KEY = { idempotencyKey: "k" };
const RETENTION_MS = 60_000;
const value = (text: string) => ({ kind: "success", value: new TextEncoder().encode(text) }) as const;

test("a second call with the key of a running call gets the result of that call, and its own input is ignored", async () => {
  const gate = new Gate();
  const stage = await open({
    slow: async (ctx) => {
      await gate.passed;
      return `for ${ctx.input}`;
    },
  });
  const [a, b] = [stage.actor(), stage.actor()];
  const first = callOn(a, "slow", "a", KEY);
  await stage.pulse.settle();
  const second = callOn(b, "slow", "b", KEY);
  await stage.pulse.pass(1_000);
  gate.open();
  const [one, two] = [await stage.pulse.within(3_000, first), await stage.pulse.within(3_000, second)];
  expect([textOf(one), textOf(two)]).toEqual(["for a", "for a"]);
  expect(one.invocationId).toBe(two.invocationId);
  expect(one.expiresAtMs).toBeUndefined();
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a call with the key of a completed invocation gets the stored result and the moment when the result expires", async () => {
  const stage = await open({ echo: (ctx) => ctx.input }, { idempotencyRetentionMs: RETENTION_MS });
  const actor = stage.actor();
  await stage.pulse.within(0, callOn(actor, "echo", "a", KEY));
  const endedAtMs = stage.pulse.nowMs();
  await stage.pulse.pass(RETENTION_MS - 1);
  const again = await stage.pulse.within(0, callOn(actor, "echo", "b", KEY));
  expect(textOf(again)).toBe("a");
  expect(again.expiresAtMs).toBe(endedAtMs + RETENTION_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a repeated send is answered with previously-accepted, and nothing runs again", async () => {
  const stage = await open({ echo: (ctx) => ctx.input });
  const actor = stage.actor();
  actor.startWorker();
  const first = await sendOn(actor, "echo", "a", KEY);
  const second = await sendOn(actor, "echo", "b", KEY);
  await stage.pulse.settle();
  const third = await sendOn(actor, "echo", "c", KEY);
  await stage.pulse.pass(30_000);
  expect([first.status, second.status, third.status]).toEqual([
    "accepted",
    "previously-accepted",
    "previously-accepted",
  ]);
  expect(new Set([first, second, third].map(({ invocationId }) => invocationId)).size).toBe(1);
  expect(stage.deployment.attempts.map(({ input }) => input)).toEqual(["a"]);
});

test("every operation treats an expired result as gone at once, although its items are still stored", async () => {
  const stage = await open({ echo: (ctx) => ctx.input }, { idempotencyRetentionMs: RETENTION_MS });
  const actor = stage.actor();
  const { invocationId } = await stage.pulse.within(0, callOn(actor, "echo", "a", KEY));
  await stage.pulse.pass(RETENTION_MS);
  expect(await output(actor.engine, invocationId)).toEqual({ kind: "unknown" });
  expect(await attach(actor.engine, invocationId)).toEqual({ kind: "unknown" });
  expect(await inspect(actor.engine, invocationId)).toBeUndefined();
  expect(await cancel(actor.engine, invocationId)).toBe("unknown");
  expect(await kill(actor.engine, invocationId)).toBe("unknown");
  const again = await stage.pulse.within(0, callOn(actor, "echo", "b", KEY));
  expect(textOf(again)).toBe("b");
  expect(again.invocationId).toBe(invocationId);
});

test("an invocation that was cancelled before its first attempt leaves its key free at once", async () => {
  const stage = await open({ echo: (ctx) => ctx.input });
  const actor = stage.actor();
  actor.startWorker();
  const delayed = { ...KEY, startAtMs: stage.pulse.nowMs() + 5_000 };
  const { invocationId } = await sendOn(actor, "echo", "a", delayed);
  // Either the canceller or the worker that it woke ends the invocation, before any time passes.
  await stage.pulse.within(0, cancel(actor.engine, invocationId));
  expect(textOf(await stage.pulse.within(0, callOn(actor, "echo", "b", KEY)))).toBe("b");
  await stage.pulse.pass(60_000);
  expect(stage.deployment.attempts.map(({ input }) => input)).toEqual(["b"]);
});

test("a new life under an old id gets no segments or arrivals of the former life", async () => {
  const stage = await open(
    {
      waits: async (ctx) => {
        const { result } = ctx.awakeable();
        const heard = await ctx.get(result);
        await ctx.get(ctx.sleep(stage.pulse.nowMs() + 40_000));
        return `${ctx.input} heard ${heard}`;
      },
    },
    { idempotencyRetentionMs: RETENTION_MS },
  );
  const actor = stage.actor();
  actor.startWorker();
  const former = callOn(actor, "waits", "former", KEY);
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as never;
  const { nonce: formerNonce } = (await currentLife(actor.engine, id))!;
  const awakeable = encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17);
  await completeAwakeable(actor.engine, awakeable, value("old news"));
  await stage.pulse.pass(1_000);
  await kill(actor.engine, id);
  expect(textOf(await stage.pulse.within(1_000, former))).toBe("409 killed");
  await stage.pulse.pass(RETENTION_MS);

  const next = callOn(actor, "waits", "next", KEY);
  await stage.pulse.settle();
  const before = stage.deployment.attempts.length;
  // A late arrival for the former life: it has the nonce of that life.
  await writeArrival(
    actor.engine,
    { id, nonce: formerNonce },
    {
      key: "s17",
      content: { kind: "notification", id: { index: 17 }, result: value("a ghost") },
    },
  );
  await stage.pulse.pass(45_000);
  expect(stage.deployment.attempts).toHaveLength(before);
  await completeAwakeable(actor.engine, awakeable, value("fresh news"));
  expect(textOf(await stage.pulse.within(45_000, next))).toBe("next heard fresh news");
  const seeds = stage.deployment.attempts.map(({ start }) => start.randomSeed);
  expect(seeds[0]).not.toBe(seeds.at(-1));
  expect(new Set(seeds).size).toBe(2);
});
