/** Stamps: of two places that name one invocation, each is given back by itself. */
import { expect, test } from "vitest";
import type { IdSource } from "../../../shared/engine/ports/id-source.ts";
import { giveBack } from "../../../shared/engine/limits/give-back.ts";
import { hasPlace } from "../../../shared/engine/limits/holders.ts";
import { takeOrWait } from "../../../shared/engine/limits/places.ts";
import { readPool } from "../../../shared/engine/limits/pool-state.ts";
import type { HeldPlace } from "../../../shared/engine/local/held-places.ts";
import { holderOf } from "../../../shared/engine/store/pool-items.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { withTable } from "../../planted/with-table.ts";
import { asker } from "./asker.ts";

const open = stages();

const LINE = { name: "service:S", turnKey: "" };
const PLACES = 2;

/** Numbers that follow each other, as the worst case of random ones. */
function counting(ids: IdSource): IdSource {
  let drawn = 0;
  return {
    derive: (parts, size) => ids.derive(parts, size),
    random: (size) => {
      const bytes = new Uint8Array(size);
      if (size > 1) new DataView(bytes.buffer).setUint16(size - 2, ++drawn);
      return bytes;
    },
  };
}

test.each([
  ["the first", ([low, high]: readonly [HeldPlace, HeldPlace]) => [high, low] as const],
  ["the last", (places: readonly [HeldPlace, HeldPlace]) => places],
])("an invocation that two processes gave a place each keeps one of them: %s that was given", async (_, order) => {
  const stage = await open({});
  const [engine, slowEngine] = [stage.actor().engine, stage.actor().engine];
  const ids = counting(engine.ids);
  for (const each of [engine, slowEngine]) Object.assign(each, { ids });
  const [first, second, waiting] = [asker("a"), asker("b"), asker("c")];
  const take = (one: typeof first) => takeOrWait(engine, LINE, PLACES, one);
  const held = (await take(first)) as HeldPlace;
  const other = (await take(second)) as HeldPlace;
  expect(await take(waiting)).toBe("waits");

  const [hasRead, mayGoOn, hasHanded, mayEnd] = [new Gate(), new Gate(), new Gate(), new Gate()];
  const slow = withTable(slowEngine, {
    query: async (pk, range) => {
      const page = await slowEngine.table.query(pk, range);
      if (page.items.length === 0) return page;
      hasRead.open();
      await mayGoOn.passed;
      return page;
    },
    delete: async (key, condition) => {
      hasHanded.open();
      await mayEnd.passed;
      return await slowEngine.table.delete(key, condition);
    },
  });
  const [lateHeld, quickHeld] = order(held.place < other.place ? [held, other] : [other, held]);
  const late = giveBack(slow, LINE.name, PLACES, lateHeld);
  await hasRead.passed;
  await giveBack(engine, LINE.name, PLACES, quickHeld);
  mayGoOn.open();
  await hasHanded.passed;
  const used = (await take(waiting)) as HeldPlace;
  mayEnd.open();
  await late;

  const { taken } = await readPool(engine, LINE.name, PLACES);
  expect([...taken]).toEqual([[used.place, used.holder]]);
  expect(holderOf(used.holder)).toMatchObject({ id: waiting.life.id });
  expect(await hasPlace(engine, LINE.name, PLACES, waiting.life)).toBe(true);
});
