/** Moments that handlers write for "never", up to the largest number of 64 bits: accepted, shown as the year 9999, and cancellable. */
import { describe, expect, test } from "vitest";
import { LAST_MOMENT_MS } from "../../../shared/core/model/moment.ts";
import { message, string, uint32, uint64 } from "../../../shared/core/model/proto3.ts";
import { COMMANDS } from "../../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../../shared/core/protocol/frame.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { AttemptFails, type Handler, type ScriptContext } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { narrowed } from "../../harness/engine/narrowed.ts";

const open = stages();
const HOUR_MS = 3_600_000;

const SleepOf64Bits = message({ wakeUpTimeMs: uint64(1), resultCompletionId: uint32(11) });
const SendOf64Bits = message({
  serviceName: string(1),
  handlerName: string(2),
  invokeTimeMs: uint64(4),
  invocationIdNotificationIdx: uint32(10),
});

/** Replaces the command that the handler has emitted last, unless it was replayed. */
function inPlaceOfLast(ctx: ScriptContext, frame: Uint8Array): void {
  if (ctx.frames.length > 0) ctx.frames[ctx.frames.length - 1] = frame;
}

const handlersAt = (atMs: bigint): Record<string, Handler> => ({
  naps: async (ctx) => {
    const over = ctx.sleep(1);
    inPlaceOfLast(ctx, messageFrame(COMMANDS.Sleep.code, SleepOf64Bits, { wakeUpTimeMs: atMs, resultCompletionId: 1 }));
    return await ctx.get(over);
  },
  sends: (ctx) => {
    ctx.command("OneWayCall", { serviceName: "S", handlerName: "later", invocationIdNotificationIdx: 1 });
    const child = { serviceName: "S", handlerName: "later", invocationIdNotificationIdx: 1 };
    inPlaceOfLast(ctx, messageFrame(COMMANDS.OneWayCall.code, SendOf64Bits, { ...child, invokeTimeMs: atMs }));
    return "sent";
  },
  later: () => "ran",
});

describe.each([2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])("%d milliseconds since the epoch", (atMs) => {
  test("a sleep until then suspends, outlives a reboot and the sweeper, and ends by a cancel", async () => {
    const stage = await open(handlersAt(atMs));
    const first = stage.actor();
    first.startWorker();
    const { invocationId: id } = await stage.pulse.within(1_000, sendOn(first, "naps"));
    await stage.pulse.pass(2_000);
    const asleep = { status: "suspended", wakeAtMs: LAST_MOMENT_MS };
    expect(await inspect(first.engine, id)).toMatchObject(asleep);
    await stage.reboot();
    const later = stage.actor();
    later.startWorker();
    await stage.pulse.pass(HOUR_MS);
    await stage.pulse.within(LEASE_MS, sweep(later.engine, stage.pulse.nowMs() - HOUR_MS));
    expect(await inspect(later.engine, id)).toMatchObject(asleep);
    expect(stage.deployment.of("naps")).toHaveLength(1);
    await stage.pulse.within(1_000, cancel(later.engine, id));
    await stage.pulse.pass(2_000);
    expect(await inspect(later.engine, id)).toMatchObject({ status: "completed", failure: { code: 409 } });
  });

  test("a send for then is scheduled, and ends by a cancel", async () => {
    const stage = await open(handlersAt(atMs));
    const actor = stage.actor();
    actor.startWorker();
    const { invocationId: id } = await stage.pulse.within(1_000, sendOn(actor, "sends"));
    await stage.pulse.pass(2_000);
    const parent = await inspect(actor.engine, id);
    expect(parent).toMatchObject({ status: "completed" });
    const [listed] = (await listInvocations(actor.engine, narrowed({ status: ["scheduled"] }), { limit: 10 }))
      .invocations;
    const child = listed!.id;
    expect(await inspect(actor.engine, child)).toMatchObject({
      status: "scheduled",
      wakeAtMs: LAST_MOMENT_MS,
    });
    await stage.pulse.within(1_000, cancel(actor.engine, child));
    await stage.pulse.pass(2_000);
    expect(await inspect(actor.engine, child)).toBeUndefined();
    expect(stage.deployment.of("later")).toHaveLength(0);
  });
});

test("a retry policy with the largest intervals backs off until the year 9999, and a cancel ends it", async () => {
  let attempts = 0;
  const fails: Handler = async (ctx) => {
    if (attempts++ === 0) throw new AttemptFails("once");
    return await ctx.get(ctx.awakeable().result);
  };
  const longest = { initialIntervalMs: Number.MAX_SAFE_INTEGER, maxIntervalMs: Number.MAX_SAFE_INTEGER };
  const stage = await open({ fails }, { retry: longest });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(1_000, sendOn(actor, "fails"));
  await stage.pulse.pass(2_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "backing-off", nextRetryAtMs: LAST_MOMENT_MS });
  await stage.pulse.within(1_000, cancel(actor.engine, id));
  await stage.pulse.pass(2_000);
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed", failure: { code: 409 } });
});

test("results and journals with the longest retentions are kept", async () => {
  const kept = Number.MAX_SAFE_INTEGER;
  const stage = await open({ ends: () => "done" }, { journalRetentionMs: kept, idempotencyRetentionMs: kept });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await stage.pulse.within(1_000, sendOn(actor, "ends", "", { idempotencyKey: "k" }));
  await stage.pulse.pass(HOUR_MS);
  await stage.pulse.within(LEASE_MS, sweep(actor.engine, stage.pulse.nowMs() - HOUR_MS));
  expect(await inspect(actor.engine, id)).toMatchObject({ status: "completed" });
});
