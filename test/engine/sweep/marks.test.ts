/**
 * Tests the guard's record of a look that the sweeper repeats because it failed in an earlier pass. The record is stored only
 * while such looks run.
 */
import { expect, test } from "vitest";
import { placeAt, sweeperPk } from "../../../shared/engine/store/item-keys.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const PK = sweeperPk("");

test("if a process dies after the repeated looks, the last of these looks does not count as deadly", async () => {
  const stage = await open({ waits: (ctx) => ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.pass(10 * MINUTE_MS);
  const { table } = stage.stores;
  const again = `1 ${placeAt(stage.pulse.nowMs() - 10 * MINUTE_MS)}#${invocationId}`;
  await table.put({ pk: PK, sk: "listed", listedFrom: placeAt(stage.pulse.nowMs()), again, walkTookMs: 0 });
  const sweeper = stage.actor();
  const marks: unknown[] = [];
  sweeper.process.before = ({ method, args: [, change] }) => {
    const { set, remove } = (change ?? {}) as { set?: { trying?: string }; remove?: string[] };
    if (set?.trying !== undefined || remove?.includes("trying") === true) marks.push(set?.trying ?? "removed");
    // The first read of an index comes after the repeated looks.
    if (method !== "queryIndex") return undefined;
    sweeper.die();
    return new Promise(() => undefined);
  };
  void sweepOnce(sweeper.engine);
  await stage.pulse.pass(10 * MINUTE_MS);
  expect(marks).toEqual([`look ${invocationId}`, "removed"]);
  const next = stage.actor();
  await stage.pulse.within(MINUTE_MS, sweepOnce(next.engine));
  const { items } = await table.query(PK);
  expect(items.filter(({ sk }) => sk.startsWith("deadly#"))).toEqual([]);
});
