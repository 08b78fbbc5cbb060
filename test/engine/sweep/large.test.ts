/** What is large is looked at alone: a sweeper has no more memory than a worker, which drives a few at a time. */
import { expect, test } from "vitest";
import { invocationPk } from "../../../shared/engine/ledger/item-keys.ts";
import type { Range } from "../../../shared/engine/ports/table.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn } from "../engine-fixture.ts";
import { stages } from "../stages.ts";
import { wokenBy } from "./planted.ts";

const open = stages();
const CHECKED_MS = 600_000;
const READ_MS = 100;
const LARGE = "x".repeat(5 << 20);

test("of what is large no two are in memory together, and each is looked at, as are the small ones beside them", async () => {
  const stage = await open({ wait: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const ids = [];
  for (let count = 0; count < 8; count++) {
    const { invocationId } = await sendOn(actor, "wait", count % 2 === 0 ? LARGE : "small");
    ids.push(invocationId);
  }
  await stage.pulse.pass(LEASE_MS);
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  await stage.pulse.pass(CHECKED_MS);
  const sweeper = stage.actor();
  const larges = ids.filter((_, at) => at % 2 === 0).map((id) => invocationPk("", id));
  const reads = new Map<string, number>();
  const whole: string[] = [];
  let [begun, turns] = [0, 0];
  sweeper.process.before = ({ method, args }) => {
    const [pk, range] = args as [string, Range];
    if (method !== "query" || !larges.includes(pk)) return undefined;
    const isFirstPage = range.after === undefined;
    if (isFirstPage) reads.set(pk, (reads.get(pk) ?? 0) + 1);
    // Each look of the pass finds out how large it is, and then reads it.
    if (reads.get(pk)! % 2 === 0) {
      if (isFirstPage) begun++;
      if (isFirstPage || whole.at(-1) !== pk) turns++;
      whole.push(pk);
    }
    return stage.pulse.sleep(READ_MS).then(() => undefined);
  };
  await stage.pulse.within(100 * READ_MS, sweepOnce(sweeper.engine));
  expect(whole.length).toBeGreaterThan(2 * begun);
  expect([begun, turns]).toEqual([2 * larges.length, 2 * larges.length]);
  expect(new Set(wokenBy(sweeper))).toEqual(new Set(ids));
});
