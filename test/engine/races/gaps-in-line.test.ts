/** The first tickets of a queue belong to no waiting invocation. The first invocation behind them looks at the holder of the key (I6, I8). */
import { expect, test } from "vitest";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { queueUp, takeOrQueue } from "../../../shared/engine/lock/object-lock.ts";
import { editRecord } from "../../../shared/engine/lock/apply-edit.ts";
import { EDITOR } from "../../../shared/engine/store/lock-record.ts";
import { voidTicket } from "../../../shared/engine/lock/ticket.ts";
import { inboxKey } from "../../../shared/engine/store/object-keys.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const TARGET = { service: "O", key: "k" };
/** A life that ended long ago. A process that was slow has taken the key for it. */
const GONE = { id: "inv_1gdJBtdVEcM942bjcDmb1c1khoaJe11Hbz" as InvocationId, nonce: "gone" as Nonce };

const GAPS: readonly (readonly [string, (actor: Actor, pk: string) => Promise<unknown>])[] = [
  [
    "a ticket that was drawn and never written",
    async ({ engine }, pk) => {
      await queueUp(engine, pk, GONE, {});
      await engine.table.delete(inboxKey(pk, 1));
    },
  ],
  [
    "a void ticket",
    async ({ engine }, pk) => {
      await queueUp(engine, pk, GONE, {});
      await voidTicket(engine, pk, 1);
    },
  ],
  [
    "an edit whose editor died before its look",
    ({ engine }, pk) =>
      queueUp(engine, pk, { id: EDITOR, nonce: GONE.nonce }, { edit: true, b: editRecord(new Map(), undefined) }),
  ],
];

test("an edit behind a life that is gone is applied at once", async () => {
  const stage = await open({ greet: () => "hello" }, { services: [objectOf(["greet"])] });
  const { engine } = stage.actor();
  await stage.pulse.during(takeOrQueue(engine, objectPartition(engine, TARGET), GONE));
  const values = new Map([["name", new Uint8Array([1])]]);
  expect(await stage.pulse.during(editState(engine, TARGET, "object", values))).toBe("applied");
  expect(await stage.pulse.during(stateOf(engine, TARGET))).toEqual(values);
});

test("an edit behind a holder of more than four megabytes sends the holder a wake, and does not load it whole", async () => {
  const stage = await open({ waits: (ctx) => ctx.get(ctx.awakeable().result) }, { services: [objectOf(["waits"])] });
  const actor = stage.actor();
  const { engine, process } = actor;
  actor.startWorker();
  const large = keyed("O", "k", "waits", "x".repeat(6 << 20));
  const { invocationId } = await stage.pulse.during(sendKeyed(actor, large));
  await stage.pulse.pass(2 * LEASE_MS);
  expect(await inspect(engine, invocationId)).toMatchObject({ status: "suspended" });
  const before = process.calls.length;
  expect(await stage.pulse.during(editState(engine, TARGET, "object", new Map()))).toBe("queued");
  const sends = process.calls.slice(before).filter(({ port, method }) => port === "queue" && method === "send");
  expect(sends.map(({ args }) => args[0])).toMatchObject([{ invocationId, delayMs: 0 }]);
});

test.each(GAPS)("a call behind %s gets its key from a life that is gone", async (_, makeGap) => {
  const stage = await open({ greet: () => "hello" }, { services: [objectOf(["greet"])] });
  const actor = stage.actor();
  const pk = objectPartition(actor.engine, TARGET);
  await stage.pulse.during(takeOrQueue(actor.engine, pk, GONE));
  await stage.pulse.during(makeGap(actor, pk));
  actor.startWorker();
  const { invocationId } = await stage.pulse.during(sendKeyed(actor, keyed("O", "k", "greet")));
  await stage.pulse.pass(5 * LEASE_MS);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "pending" });
  for (let pass = 0; pass < 3; pass++) {
    await stage.pulse.pass(600_000);
    await stage.pulse.within(5_000, sweep(actor.engine, stage.pulse.nowMs()));
  }
  await stage.pulse.pass(1_000);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
});
