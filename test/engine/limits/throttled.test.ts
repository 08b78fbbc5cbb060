/** A store that refuses while places are given back: each giver gets the error, and nothing else of the process does. */
import { expect, test } from "vitest";
import { giveBack } from "../../../shared/engine/limits/give-back.ts";
import { takeOrWait } from "../../../shared/engine/limits/places.ts";
import type { HeldPlace } from "../../../shared/engine/local/held-places.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { stages } from "../../harness/engine/stages.ts";
import { withTable } from "../../planted/with-table.ts";
import { asker } from "./asker.ts";

const open = stages();

const LINE = { name: "service:S", turnKey: "" };
const PLACES = 2;

test("if the store refuses to hand a place on and to free another, both givers get its error", async () => {
  const { engine } = (await open({})).actor();
  const [one, other, waiting] = [asker("a"), asker("b"), asker("c")];
  const take = (by: typeof one) => takeOrWait(engine, LINE, PLACES, by);
  const held = [(await take(one)) as HeldPlace, (await take(other)) as HeldPlace];
  expect(await take(waiting)).toBe("waits");
  let isThrottled = false;
  const throttled = withTable(engine, {
    query: async (pk, range) => {
      isThrottled = true;
      return await engine.table.query(pk, range);
    },
    update: async (key, update, condition) => {
      if (isThrottled) throw new StoreError("the store is throttled");
      return await engine.table.update(key, update, condition);
    },
  });
  const given = await Promise.allSettled(held.map((place) => giveBack(throttled, LINE.name, PLACES, place)));
  expect(given.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  for (const place of held) await giveBack(engine, LINE.name, PLACES, place);
  expect(await takeOrWait(engine, LINE, PLACES, waiting)).toMatchObject({ holder: expect.stringContaining("cccc") });
});
