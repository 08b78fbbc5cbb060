/** Invocations that wait for a key: cancels, kills, and keys whose holder or driver is gone. */
import { describe, expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { takeOrQueue } from "../../../shared/engine/lock/object-lock.ts";
import { lockAt, objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { diesBeforeItEnds } from "../../harness/engine/dies-before-it-ends.ts";
import { type Actor, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, callKeyed, getCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const counter = { services: [objectOf(["add", "slow"], ["get"])] };
const lockOf = ({ engine }: Actor, key: string) => lockAt(engine, objectPartition(engine, { service: "O", key }));

describe("an invocation that waits for a key", () => {
  const blocked = async () => {
    const gate = new Gate();
    const stage = await open(
      { add: addCount, get: getCount, slow: async (ctx) => (await gate.passed, addCount(ctx)) },
      counter,
    );
    const actor = stage.actor();
    actor.startWorker();
    await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow", "1")));
    await stage.pulse.settle();
    const second = await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "add", "10")));
    const third = await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "add", "100")));
    await stage.pulse.settle();
    return { stage, actor, gate, second, third };
  };

  test("is pending", async () => {
    const { actor, second } = await blocked();
    expect(await inspect(actor.engine, second.invocationId)).toMatchObject({ status: "pending", attempts: 0 });
  });

  test.each([
    ["cancelled", cancel],
    ["killed", kill],
  ] as const)("is %s without an attempt, and the next invocation gets its turn", async (_, end) => {
    const { stage, actor, gate, second, third } = await blocked();
    expect(await stage.pulse.within(0, end(actor.engine, second.invocationId))).toBe("done");
    expect(await inspect(actor.engine, second.invocationId)).toBeUndefined();
    gate.open();
    expect(await stage.pulse.within(1_000, attach(actor.engine, third.invocationId))).toMatchObject({ kind: "ended" });
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "get"))))).toBe("101");
  });

  test("ends within a few leases if its canceller died after the claim", async () => {
    const { stage, actor, second } = await blocked();
    const operator = stage.actor();
    diesBeforeItEnds(operator);
    void cancel(operator.engine, second.invocationId);
    await stage.pulse.pass(3 * LEASE_MS);
    expect(await inspect(actor.engine, second.invocationId)).toBeUndefined();
  });

  test("gets its turn when the holder is killed", async () => {
    const { stage, actor, third } = await blocked();
    const holder = (await lockOf(actor, "k")).holder!;
    expect(await stage.pulse.within(0, kill(actor.engine, holder.id))).toBe("done");
    expect(await stage.pulse.within(1_000, attach(actor.engine, third.invocationId))).toMatchObject({ kind: "ended" });
    expect(textOf(await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "get"))))).toBe("110");
  });
});

test("a key that was granted to a call only after the end of the call goes to the next caller within a few leases", async () => {
  const stage = await open({ add: addCount, get: getCount }, counter);
  const actor = stage.actor();
  actor.startWorker();
  const first = await stage.pulse.within(0, callKeyed(actor, keyed("O", "k", "add", "1")));
  const { nonce } = (await load(actor.engine, first.invocationId))!.invocation.acceptance;
  const pk = objectPartition(actor.engine, { service: "O", key: "k" });
  expect(await takeOrQueue(actor.engine, pk, { id: first.invocationId, nonce })).toMatchObject({ kind: "held" });
  await stage.pulse.pass(3 * LEASE_MS);
  expect(textOf(await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add", "1"))))).toBe("2");
});

test("a holder whose driver died is woken by the next caller, although the sweeper's next look at the holder is far ahead", async () => {
  let attempts = 0;
  const stage = await open(
    {
      waits: async (ctx) => {
        await ctx.race(ctx.awakeable().result, ctx.sleep(stage.pulse.nowMs() + 30 * 86_400_000));
        if (++attempts === 1) await new Promise(() => undefined);
        return "done";
      },
      add: addCount,
    },
    { services: [objectOf(["waits", "add"])] },
  );
  const driver = stage.actor();
  driver.startWorker();
  const { invocationId } = await stage.pulse.within(1_000, sendKeyed(driver, keyed("O", "k", "waits")));
  await stage.pulse.pass(2 * LEASE_MS);
  void deliverSignal(driver.engine, invocationId, "s17", { index: 17 }, { kind: "success", value: new Uint8Array(1) });
  await stage.pulse.pass(100);
  expect(attempts).toBe(1);
  driver.die();
  await stage.wipeHints();
  await stage.pulse.pass(2 * LEASE_MS);

  const next = stage.actor();
  next.startWorker();
  const added = await stage.pulse.within(2 * LEASE_MS, callKeyed(next, keyed("O", "k", "add", "1")));
  expect([textOf(added), attempts]).toEqual(["1", 2]);
});
