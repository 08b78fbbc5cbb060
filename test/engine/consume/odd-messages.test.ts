/** Messages that no process should send: from the future, a day late, for absurd moments. They do no harm. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { QUEUE_DELAY_MAX_MS, type Wake } from "../../../shared/engine/ports/queue.ts";
import { bodyOfWake, wakeOfBody } from "../../../shared/engine/ports/wake-body.ts";
import { INVOCATION_ID_BYTES, invocationIdFromBytes, type InvocationId } from "../../../shared/core/model/ids.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const ABSURD_MS = 1e300;

const naps: Handler = async (ctx) => (await ctx.get(ctx.sleep(Number(ctx.input))), "awake");
const STRANGER = invocationIdFromBytes(new Uint8Array(INVOCATION_ID_BYTES).fill(1));

type Odd = (nowMs: number) => Partial<Wake>;
const ODD: Record<string, Odd> = {
  "sent a year ahead": (nowMs) => ({ sentAtMs: nowMs + YEAR_MS }),
  "sent at an absurd moment": () => ({ sentAtMs: ABSURD_MS }),
  "a day late": (nowMs) => ({ sentAtMs: nowMs - 24 * HOUR_MS }),
  "with the longest delay": () => ({ delayMs: QUEUE_DELAY_MAX_MS }),
  "for a moment in a year": (nowMs) => ({ wakeAtMs: nowMs + YEAR_MS }),
  "for an absurd moment": () => ({ wakeAtMs: ABSURD_MS }),
  "for a moment that is over": () => ({ wakeAtMs: 0 }),
};

test.each(Object.entries(ODD))(
  "a message %s does not disturb a sleeping invocation, and is not sent again",
  async (_, odd) => {
    const stage = await open({ naps });
    const actor = stage.actor();
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "naps", String(stage.pulse.nowMs() + 4 * HOUR_MS));
    await stage.pulse.pass(LEASE_MS);
    const sends = () => actor.process.methods("queue").filter((method) => method === "send").length;
    const before = sends();
    const nowMs = stage.pulse.nowMs();
    const told = bodyOfWake({ invocationId, sentAtMs: nowMs, delayMs: 0, ...odd(nowMs) });
    const read = wakeOfBody(told);
    if ("wrong" in read) throw new Error(read.wrong);
    await stage.stores.queue.send(read.wake);
    await stage.pulse.pass(HOUR_MS);
    expect(sends()).toBe(before);
    expect(stage.deployment.attempts).toHaveLength(1);
    expect(actor.process.methods("timers")).toEqual(["at"]);
    await stage.pulse.pass(3 * HOUR_MS);
    expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed", attempts: 2 });
  },
);

test.each(Object.entries(ODD))(
  "a message %s for an unknown invocation is sent again only for a while",
  async (_, odd) => {
    const stage = await open({ naps });
    const actor = stage.actor();
    actor.startWorker();
    const nowMs = stage.pulse.nowMs();
    const invocationId: InvocationId = STRANGER;
    await stage.stores.queue.send({ invocationId, sentAtMs: nowMs, delayMs: 0, ...odd(nowMs) });
    // A message is sent again until it is older than twice its delay. The last message may then still have the longest delay.
    await stage.pulse.pass(4 * QUEUE_DELAY_MAX_MS);
    const sends = () => actor.process.methods("queue").filter((method) => method === "send").length;
    const before = sends();
    expect(before).toBeLessThanOrEqual((2 * LEASE_MS) / 500);
    await stage.pulse.pass(HOUR_MS);
    expect(sends()).toBe(before);
  },
);

test("a message for an unknown invocation is not sent again if the message names a future moment", async () => {
  const stage = await open({ naps });
  const actor = stage.actor();
  actor.startWorker();
  const nowMs = stage.pulse.nowMs();
  await stage.stores.queue.send({ invocationId: STRANGER, sentAtMs: nowMs, delayMs: 0, wakeAtMs: nowMs + 60_000 });
  await stage.pulse.pass(HOUR_MS);
  expect(actor.process.methods("queue").filter((method) => method === "send")).toEqual([]);
});
