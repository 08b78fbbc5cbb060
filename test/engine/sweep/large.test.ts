/** Tests that a walk wakes a large invocation by its lease record, and does not load it: a walk has little memory. */
import { expect, test } from "vitest";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const MINUTE_MS = 60_000;
const SLEEP_MS = 20 * MINUTE_MS;
const PAGE_BYTES = 1 << 20;
const LARGE_BYTES = 7 << 20;
const LOADED_MAX_BYTES = 4 << 20;
const LARGE = "x".repeat(LARGE_BYTES);

async function field() {
  const stage = await open({ naps: (ctx) => ctx.get(ctx.sleep(stage.pulse.nowMs() + SLEEP_MS)), late: () => "done" });
  const actor = stage.actor();
  return { stage, actor };
}

test("the sweeper wakes large and small sleepers that are due, and no look reads a whole large invocation", async () => {
  const { stage, actor } = await field();
  actor.startWorker();
  const ids = [];
  for (let count = 0; count < 8; count++)
    ids.push((await sendOn(actor, "naps", count % 2 === 0 ? LARGE : "small")).invocationId);
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  await stage.pulse.pass(SLEEP_MS);
  const sweeper = stage.actor();
  const pages = new Map<unknown, number>();
  sweeper.process.before = ({ method, args: [pk] }) => {
    if (method === "query") pages.set(pk, (pages.get(pk) ?? 0) + 1);
    return undefined;
  };
  await stage.pulse.within(MINUTE_MS, sweepOnce(sweeper.engine));
  expect(new Set(wokenBy(sweeper))).toEqual(new Set(ids));
  // The sweeper looks at each invocation at most twice: for the listing and for the open index. Each look ends with the page that
  // exceeds LOADED_MAX_BYTES.
  const pagesMax = 2 * (LOADED_MAX_BYTES / PAGE_BYTES + 2);
  for (const id of ids) expect(pages.get(invocationPk("", id))).toBeLessThanOrEqual(pagesMax);
});

test("a large invocation whose first message was lost is noted in the open index, is woken, and ends", async () => {
  const { stage, actor } = await field();
  const { invocationId } = await sendOn(actor, "late", LARGE);
  await stage.pulse.pass(6 * MINUTE_MS);
  await stage.wipeHints();
  const sweeper = stage.actor();
  await stage.pulse.within(MINUTE_MS, sweepOnce(sweeper.engine));
  expect(wokenBy(sweeper)).toEqual([invocationId]);
  const { items } = await stage.stores.table.query(invocationPk("", invocationId), { from: "hold#", below: "hold$" });
  expect(items).toMatchObject([{ status: "ready", lookAtMs: expect.any(Number), openPk: expect.any(String) }]);
  sweeper.startWorker();
  await stage.pulse.pass(LEASE_MS);
  expect(stage.deployment.of("late")).toHaveLength(1);
  // The completed invocation has left the index.
  const { items: left } = await stage.stores.table.queryIndex("open", String(items[0]!["openPk"]));
  expect(left).toEqual([]);
});
