/** Tests that a lock without state lives longer than the tickets in its queue. */
import { expect, test } from "vitest";
import { lockKey } from "../../../shared/engine/store/object-keys.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("the lock of a key without state outlives every ticket that was drawn there", async () => {
  const gate = new Gate();
  const stage = await open({ slow: async () => (await gate.passed, "done") }, { services: [objectOf(["slow"])] });
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, sendKeyed(actor, keyed("O", "k", "slow")));
  await stage.pulse.settle();
  const behind = callKeyed(actor, keyed("O", "k", "slow"));
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.within(1_000, behind);
  const pk = objectPartition(actor.engine, { service: "O", key: "k" });
  const [lock, tickets] = await Promise.all([
    actor.engine.table.get(lockKey(pk)),
    actor.engine.table.query(pk, { from: "inbox#", below: "inbox$" }),
  ]);
  expect(tickets.items.length).toBeGreaterThan(0);
  for (const { expiresAtS } of tickets.items) expect(lock?.["expiresAtS"]).toBeGreaterThan(Number(expiresAtS));
});
