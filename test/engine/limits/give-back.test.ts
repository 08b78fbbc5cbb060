/** Places of a pool that are given back at a time: they are handed on together, and the work of a group is bounded. */
import { expect, test } from "vitest";
import { giveBack } from "../../../shared/engine/limits/give-back.ts";
import { takeOrWait } from "../../../shared/engine/limits/places.ts";
import { readPool } from "../../../shared/engine/limits/pool-state.ts";
import type { HeldPlace } from "../../../shared/engine/local/held-places.ts";
import { stages } from "../../harness/engine/stages.ts";
import { withTable } from "../../planted/with-table.ts";
import { asker } from "./asker.ts";

const open = stages();

const LINE = { name: "service:S", turnKey: "" };

/** As many wait as have a place, and all places are given back in one tick. */
async function givenBackAtOnce(places: number) {
  const { engine } = (await open({})).actor({ soleOwner: true });
  const held: HeldPlace[] = [];
  for (let at = 0; at < 2 * places; at++) {
    const taken = await takeOrWait(engine, LINE, places, asker(String.fromCharCode(0x4e00 + at)));
    if (taken !== "waits" && taken !== "lost") held.push(taken);
  }
  expect(held).toHaveLength(places);
  const asked = { queries: 0, transactions: 0, turnsAtMost: 0 };
  const counted = withTable(engine, {
    query: async (pk, range) => {
      asked.queries++;
      asked.turnsAtMost = Math.max(asked.turnsAtMost, range?.limit ?? Infinity);
      return await engine.table.query(pk, range);
    },
    transact: async (writes) => {
      asked.transactions++;
      return await engine.table.transact(writes);
    },
  });
  await Promise.all(held.map((place) => giveBack(counted, LINE.name, places, place)));
  const { taken } = await readPool(engine, LINE.name, places);
  const former = new Set(held.map(({ holder }) => holder));
  expect(taken.size).toBe(places);
  expect([...taken.values()].filter((holder) => former.has(holder))).toEqual([]);
  return asked;
}

test("they go to the next with one read of the line, and none is refused", async () => {
  expect(await givenBackAtOnce(10)).toMatchObject({ queries: 3, transactions: 10 });
});

test("however many they are, a group reads sixteen turns of a key at most", async () => {
  expect(await givenBackAtOnce(40)).toMatchObject({ turnsAtMost: 16, transactions: 40 });
});
