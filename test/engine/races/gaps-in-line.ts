/** Gaps at the front of a queue behind a life that is gone, and a call behind them, which has to get its key all the same (I6, I8). */
import { expect } from "vitest";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { queueUp, takeOrQueue } from "../../../shared/engine/lock/object-lock.ts";
import { editRecord } from "../../../shared/engine/lock/state-edits.ts";
import { EDITOR } from "../../../shared/engine/store/lock-record.ts";
import { voidTicket } from "../../../shared/engine/lock/ticket.ts";
import { inboxKey } from "../../../shared/engine/store/object-keys.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import type { stages } from "../../harness/engine/stages.ts";

export const TARGET = { service: "O", key: "k" };

type MakeGap = (actor: Actor, pk: string) => Promise<unknown>;

/** A life that ended long ago. A process that was slow has taken the key for it. */
export const GONE = { id: "inv_1gdJBtdVEcM942bjcDmb1c1khoaJe11Hbz" as InvocationId, nonce: "gone" as Nonce };

/** The makers of gaps, by what stands there. */
export const GAPS: readonly (readonly [string, MakeGap])[] = [
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

/** Fails if the call behind the gap does not end after the sweeper's passes. */
export async function getsItsKey(open: ReturnType<typeof stages>, makeGap: MakeGap): Promise<void> {
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
}
