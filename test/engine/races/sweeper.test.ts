import { expect, test } from "vitest";
import { invocationPk } from "../../../shared/engine/item-keys.ts";
import { recover, sweep } from "../../../shared/engine/sweep.ts";
import { LEASE_MS, sendOn } from "../engine-fixture.ts";
import { stages } from "../stages.ts";

const open = stages();
const CHECKED_MS = 600_000;

test("one invocation that cannot be read keeps the sweeper from no other", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const sent = [];
  for (let count = 0; count < 12; count++) sent.push(await sendOn(actor, "wait"));
  await stage.pulse.pass(LEASE_MS);
  for (const { invocationId } of sent.slice(1)) {
    const pk = invocationPk("", invocationId);
    const { items } = await stage.stores.table.query(pk, { from: "seg#" });
    await stage.stores.table.put({ ...items.at(-1)!, b: new Uint8Array([99, 0, 0]) });
  }
  await stage.pulse.pass(CHECKED_MS + 1);
  expect(await stage.pulse.within(1_000, sweep(actor.engine, stage.pulse.nowMs()))).toMatchObject({ woken: 1 });
  expect(await stage.pulse.within(1_000, recover(stage.actor().engine))).toBeLessThanOrEqual(1);
});
