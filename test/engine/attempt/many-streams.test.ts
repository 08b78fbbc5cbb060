/** Many exchanges that wait at the same time, and many megabytes over one exchange (ADR 0008). */
import { expect, test } from "vitest";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
/** The number of results, each of 1 MiB. */
const COUNT = 24;
const OPEN = { opensExchanges: true, messageSizeMaxBytes: 4 << 20 };

test("many calls wait on open exchanges at the same time, and each ends with its own result", async () => {
  const ids: string[] = [];
  const stage = await open(
    {
      waits: async (ctx) => {
        const { id, result } = ctx.awakeable();
        await ctx.get(ctx.run("publish", () => `${ids.push(id)}`));
        return await ctx.get(result);
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  const count = 200;
  const calls = Array.from({ length: count }, () => callOn(actor, "waits"));
  await stage.pulse.pass(2_000);
  expect([ids.length, actor.engine.activeInvocations.streams.waiting]).toEqual([count, count]);
  const value = (id: string) => ({ kind: "success" as const, value: Buffer.from(id) });
  for (const id of ids) await completeAwakeable(actor.engine, id, value(id));
  const ends = await stage.pulse.within(5_000, Promise.all(calls));
  expect(new Set(ends.map(textOf))).toEqual(new Set(ids));
  expect(stage.deployment.attempts).toHaveLength(count);
  expect(actor.engine.activeInvocations.streams.waiting).toBe(0);
});

test("a handler with many results of 1 MiB returns the right result over one exchange, and then holds no part of a budget", async () => {
  const stage = await open(
    {
      large: async (ctx) => {
        let size = 0;
        for (let at = 0; at < COUNT; at++)
          size += (await ctx.get(ctx.run(`run ${at}`, () => "x".repeat(1 << 20)))).length;
        return String(size);
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "large");
  const ended = await stage.pulse.within(60_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe(String(COUNT << 20));
  expect(stage.deployment.attempts).toHaveLength(1);
  await stage.pulse.settle();
  const { replies, journals } = actor.engine.bulkheads;
  expect([replies.held, replies.waiting, journals.held, journals.waiting]).toEqual([0, 0, 0, 0]);
});
